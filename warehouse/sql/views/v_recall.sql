-- One row per model, corpus, k, number of units, layer and component: recall of hidden states by active parameters.
CREATE VIEW v_recall AS
WITH source AS (
    SELECT * FROM recall
),
final AS (
    SELECT
        source.model_id, model.name AS model_name, model.family, model.seed AS model_seed, source.corpus_name,
        source.corpus_sha256, source.layer, source.component, source.k, source.n_units, source.recall, source.low,
        source.high, source.shuffled, source.gain, source.gain_low, source.gain_high, source.n_tokens,
        source.n_sequences, source.embedding_source
    FROM source
    JOIN model ON model.model_id = source.model_id
)
SELECT * FROM final;

COMMENT ON VIEW v_recall IS 'One row per model, corpus, k, number of units, layer and component: how much of what hidden states say the parameters that are active say too, against shuffled positions. Filled by lenshouse recall.';
COMMENT ON COLUMN v_recall.model_id IS 'The model (model.model_id).';
COMMENT ON COLUMN v_recall.model_name IS 'Name of the model.';
COMMENT ON COLUMN v_recall.family IS 'Family of the model; NULL when unknown.';
COMMENT ON COLUMN v_recall.model_seed IS 'Training seed of the model; NULL when unknown.';
COMMENT ON COLUMN v_recall.corpus_name IS 'Name of the corpus.';
COMMENT ON COLUMN v_recall.corpus_sha256 IS 'SHA-256 of the texts that were used (recall.corpus_sha256).';
COMMENT ON COLUMN v_recall.layer IS 'Layer, from 1.';
COMMENT ON COLUMN v_recall.component IS 'ff_key, ff_gate, ff_value, w_v or w_o (recall.component).';
COMMENT ON COLUMN v_recall.k IS 'Items of a state, and items that each unit promotes.';
COMMENT ON COLUMN v_recall.n_units IS 'Units that count as active at a token.';
COMMENT ON COLUMN v_recall.recall IS 'Mean share of a hidden state''s top k items that its active units promote (recall.recall).';
COMMENT ON COLUMN v_recall.low IS 'Lower end of its 95% bootstrap interval over sequences; NULL with fewer than 8.';
COMMENT ON COLUMN v_recall.high IS 'Upper end.';
COMMENT ON COLUMN v_recall.shuffled IS 'The same at the states of the other tokens of the sequence (recall.shuffled).';
COMMENT ON COLUMN v_recall.gain IS 'recall less shuffled.';
COMMENT ON COLUMN v_recall.gain_low IS 'Lower end of its 95% interval, over the same resamples of sequences for both; NULL with fewer than 8.';
COMMENT ON COLUMN v_recall.gain_high IS 'Upper end.';
COMMENT ON COLUMN v_recall.n_tokens IS 'Tokens that took part.';
COMMENT ON COLUMN v_recall.n_sequences IS 'Sequences that they are of.';
COMMENT ON COLUMN v_recall.embedding_source IS 'What states and parameters were read with: output, tied or input.';
