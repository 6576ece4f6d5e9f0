-- One row per projected unit, vocabulary filter, reading of LN, sign and rank: an item that the unit scores highest or
-- lowest, with its text.
CREATE VIEW v_projection AS
WITH source AS (
    SELECT * FROM projection
),
final AS (
    SELECT
        source.model_id, model.name AS model_name, model.family, model.seed, source.layer, source.component,
        source.unit, source.head, source.sign, source.rank, source.token_id, vocab.token, vocab.display,
        vocab.is_special, source.score, source.vocab_filter, source.ln_folded
    FROM source
    JOIN model ON model.model_id = source.model_id
    LEFT JOIN vocab ON vocab.tokenizer_id = model.tokenizer_id AND vocab.token_id = source.token_id
)
SELECT * FROM final;

COMMENT ON VIEW v_projection IS 'One row per projected unit, vocabulary filter, reading of LN, sign and rank: an item that the unit scores highest or lowest with the output embeddings, with its text. Filled by lenshouse project.';
COMMENT ON COLUMN v_projection.model_id IS 'The model (model.model_id).';
COMMENT ON COLUMN v_projection.model_name IS 'Name of the model.';
COMMENT ON COLUMN v_projection.family IS 'Group for statistics over seeds and sizes; NULL when unknown.';
COMMENT ON COLUMN v_projection.seed IS 'Training seed of the model; NULL when unknown.';
COMMENT ON COLUMN v_projection.layer IS 'Layer, from 1; 0 for output_bias, which belongs to none.';
COMMENT ON COLUMN v_projection.component IS 'ff_key, ff_gate, ff_value, w_q, w_k, w_v, w_o, ff_bias, attn_bias or output_bias (projection.component).';
COMMENT ON COLUMN v_projection.unit IS 'Neuron, or coordinate counted over all heads, from 0; 0 for biases.';
COMMENT ON COLUMN v_projection.head IS 'Head, from 0: query head for w_q and w_o, key/value head for w_k and w_v; NULL elsewhere.';
COMMENT ON COLUMN v_projection.sign IS '1: the highest scores. -1: the lowest.';
COMMENT ON COLUMN v_projection.rank IS 'Rank within the sign, from 1.';
COMMENT ON COLUMN v_projection.token_id IS 'The item (vocab.token_id of the model''s tokenizer).';
COMMENT ON COLUMN v_projection.token IS 'The item as its tokenizer spells it.';
COMMENT ON COLUMN v_projection.display IS 'The item in readable form (vocab.display).';
COMMENT ON COLUMN v_projection.is_special IS 'True for special tokens of the tokenizer.';
COMMENT ON COLUMN v_projection.score IS 'Dot product of the unit''s vector and the item''s output embedding, sign included.';
COMMENT ON COLUMN v_projection.vocab_filter IS 'The items that took part (vocab_filter.name, of the model''s tokenizer).';
COMMENT ON COLUMN v_projection.ln_folded IS 'Whether vectors went through their norm (projection.ln_folded).';
