-- One row per complete run, layer and pair filter, once `lenshouse analyze` has run: v_cancellation's share.
CREATE VIEW v_surviving_share AS
WITH source AS (
    SELECT
        estimate.*, v_run.run_name, v_run.model_name, v_run.family, v_run.seed AS model_seed, v_run.corpus_name
    FROM estimate
    JOIN v_run ON v_run.run_id = estimate.run_id
    WHERE estimate.measure = 'surviving_share'
),
final AS (
    SELECT
        run_id, run_name, model_name, family, model_seed AS seed, corpus_name, layer, pair_filter,
        value, low, high, n_sequences
    FROM source
)
SELECT * FROM final;

COMMENT ON VIEW v_surviving_share IS 'One row per complete run, layer and pair filter, once lenshouse analyze has run: how much of the feed-forward network''s change survives the block, the surviving_share of v_cancellation with its interval (claim F3).';
COMMENT ON COLUMN v_surviving_share.run_id IS 'The run (run.run_id).';
COMMENT ON COLUMN v_surviving_share.run_name IS 'Name of the run.';
COMMENT ON COLUMN v_surviving_share.model_name IS 'Name of the model.';
COMMENT ON COLUMN v_surviving_share.family IS 'Family of the model; NULL when unknown.';
COMMENT ON COLUMN v_surviving_share.seed IS 'Training seed of the model; NULL when unknown.';
COMMENT ON COLUMN v_surviving_share.corpus_name IS 'Name of the corpus.';
COMMENT ON COLUMN v_surviving_share.layer IS 'Layer, from 1.';
COMMENT ON COLUMN v_surviving_share.pair_filter IS 'all, content or offdiag (map_change.pair_filter).';
COMMENT ON COLUMN v_surviving_share.value IS 'Mean change by BLOCK over mean change by FF: below 1 when residual and LayerNorm cancel part of the change.';
COMMENT ON COLUMN v_surviving_share.low IS 'Lower end of its 95% interval (bootstrap over sequences); NULL with too few sequences.';
COMMENT ON COLUMN v_surviving_share.high IS 'Upper end of its interval.';
COMMENT ON COLUMN v_surviving_share.n_sequences IS 'Sequences whose changes are both defined.';
