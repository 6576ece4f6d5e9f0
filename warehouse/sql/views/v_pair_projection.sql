-- One row per head, matrix, vocabulary filter, reading of LN, choice about equal items and rank: a pair of vocabulary
-- items that the head's matrix scores highest, with texts.
CREATE VIEW v_pair_projection AS
WITH source AS (
    SELECT * FROM pair_projection
),
final AS (
    SELECT
        source.model_id, model.name AS model_name, model.family, model.seed, source.layer, source.head,
        source.matrix, source.rank, source.row_token_id, row_item.display AS row_token, source.col_token_id,
        col_item.display AS col_token, source.score, source.vocab_filter, source.ln_folded, source.exclude_same,
        part.n_multiplied / part.n_pairs AS share_multiplied
    FROM source
    JOIN model ON model.model_id = source.model_id
    JOIN pair_projection_part AS part
        ON part.model_id = source.model_id AND part.layer = source.layer AND part.head = source.head
        AND part.matrix = source.matrix AND part.vocab_filter = source.vocab_filter
        AND part.ln_folded = source.ln_folded AND part.exclude_same = source.exclude_same
    LEFT JOIN vocab AS row_item
        ON row_item.tokenizer_id = model.tokenizer_id AND row_item.token_id = source.row_token_id
    LEFT JOIN vocab AS col_item
        ON col_item.tokenizer_id = model.tokenizer_id AND col_item.token_id = source.col_token_id
)
SELECT * FROM final;

COMMENT ON VIEW v_pair_projection IS 'One row per head, matrix, vocabulary filter, reading of LN, choice about equal items and rank: a pair of vocabulary items that the head''s matrix scores highest, with texts. Filled by lenshouse project --pairs.';
COMMENT ON COLUMN v_pair_projection.model_id IS 'The model (model.model_id).';
COMMENT ON COLUMN v_pair_projection.model_name IS 'Name of the model.';
COMMENT ON COLUMN v_pair_projection.family IS 'Group for statistics over seeds and sizes; NULL when unknown.';
COMMENT ON COLUMN v_pair_projection.seed IS 'Training seed of the model; NULL when unknown.';
COMMENT ON COLUMN v_pair_projection.layer IS 'Layer, from 1.';
COMMENT ON COLUMN v_pair_projection.head IS 'Query head, from 0.';
COMMENT ON COLUMN v_pair_projection.matrix IS 'VO: from what the head reads to what it writes. QK: from query to key, of models with rotary positions at distance 0 (pair_projection.matrix).';
COMMENT ON COLUMN v_pair_projection.rank IS 'Rank by score, from 1, highest first.';
COMMENT ON COLUMN v_pair_projection.row_token_id IS 'The item of the row (vocab.token_id of the model''s tokenizer).';
COMMENT ON COLUMN v_pair_projection.row_token IS 'It in readable form (vocab.display). VO: what is read. QK: the query.';
COMMENT ON COLUMN v_pair_projection.col_token_id IS 'The item of the column (vocab.token_id of the model''s tokenizer).';
COMMENT ON COLUMN v_pair_projection.col_token IS 'It in readable form (vocab.display). VO: what is written. QK: the key.';
COMMENT ON COLUMN v_pair_projection.score IS 'e_row W e_col with the output embeddings.';
COMMENT ON COLUMN v_pair_projection.vocab_filter IS 'The items that took part (vocab_filter.name, of the model''s tokenizer).';
COMMENT ON COLUMN v_pair_projection.ln_folded IS 'Whether the head''s matrices went through their norm (projection.ln_folded).';
COMMENT ON COLUMN v_pair_projection.exclude_same IS 'Whether pairs of an item with itself were left out.';
COMMENT ON COLUMN v_pair_projection.share_multiplied IS 'Share of all pairs whose scores had to be computed to find the head''s top ones for certain; 1 where the bound did not help.';
