-- One row per complete run, layer, stage and kind of token, once `lenshouse analyze` has run.
CREATE VIEW v_mixing_by_kind AS
WITH source AS (
    SELECT
        estimate.*, v_run.run_name, v_run.model_name, v_run.family, v_run.seed AS model_seed, v_run.corpus_name
    FROM estimate
    JOIN v_run ON v_run.run_id = estimate.run_id
    WHERE estimate.measure = 'mixing'
),
final AS (
    SELECT
        run_id, run_name, model_name, family, model_seed AS seed, corpus_name, layer, split_part(item, '/', 1) AS stage, substr(item, strpos(item, '/') + 1) AS kind,
        value, low, high, n AS n_tokens, n_sequences
    FROM source
)
SELECT * FROM final;

COMMENT ON VIEW v_mixing_by_kind IS 'One row per complete run, layer, stage and kind of token, once lenshouse analyze has run: mean mixing ratios with intervals. 0: a token keeps to itself; 1: all comes from other tokens.';
COMMENT ON COLUMN v_mixing_by_kind.run_id IS 'The run (run.run_id).';
COMMENT ON COLUMN v_mixing_by_kind.run_name IS 'Name of the run.';
COMMENT ON COLUMN v_mixing_by_kind.model_name IS 'Name of the model.';
COMMENT ON COLUMN v_mixing_by_kind.family IS 'Family of the model; NULL when unknown.';
COMMENT ON COLUMN v_mixing_by_kind.seed IS 'Training seed of the model; NULL when unknown.';
COMMENT ON COLUMN v_mixing_by_kind.corpus_name IS 'Name of the corpus.';
COMMENT ON COLUMN v_mixing_by_kind.layer IS 'Layer, from 1.';
COMMENT ON COLUMN v_mixing_by_kind.stage IS 'atb, after_ff, after_res or after_ln (token_pair).';
COMMENT ON COLUMN v_mixing_by_kind.kind IS 'all; special (tokens); upos:X, tokens of words of that part of speech; zipf:N, tokens of words whose Zipf frequency has that whole part.';
COMMENT ON COLUMN v_mixing_by_kind.value IS 'Mean mixing ratio over the tokens where it is defined.';
COMMENT ON COLUMN v_mixing_by_kind.low IS 'Lower end of its 95% interval (bootstrap over sequences); NULL with too few sequences.';
COMMENT ON COLUMN v_mixing_by_kind.high IS 'Upper end of its interval.';
COMMENT ON COLUMN v_mixing_by_kind.n_tokens IS 'Tokens that it is over.';
COMMENT ON COLUMN v_mixing_by_kind.n_sequences IS 'Sequences that hold them.';
