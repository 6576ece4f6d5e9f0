-- One row per complete run, layer, component and pair filter, once `lenshouse analyze` has run: v_change_by_layer's mean.
CREATE VIEW v_change_interval AS
WITH source AS (
    SELECT
        estimate.*, v_run.run_name, v_run.model_name, v_run.family, v_run.seed AS model_seed, v_run.corpus_name
    FROM estimate
    JOIN v_run ON v_run.run_id = estimate.run_id
    WHERE estimate.measure = 'change'
),
final AS (
    SELECT
        run_id, run_name, model_name, family, model_seed AS seed, corpus_name, layer, item AS component, pair_filter,
        value, low, high, n_sequences
    FROM source
)
SELECT * FROM final;

COMMENT ON VIEW v_change_interval IS 'One row per complete run, layer, component and pair filter, once lenshouse analyze has run: the mean change of v_change_by_layer with its interval (claim F1).';
COMMENT ON COLUMN v_change_interval.run_id IS 'The run (run.run_id).';
COMMENT ON COLUMN v_change_interval.run_name IS 'Name of the run.';
COMMENT ON COLUMN v_change_interval.model_name IS 'Name of the model.';
COMMENT ON COLUMN v_change_interval.family IS 'Family of the model; NULL when unknown.';
COMMENT ON COLUMN v_change_interval.seed IS 'Training seed of the model; NULL when unknown.';
COMMENT ON COLUMN v_change_interval.corpus_name IS 'Name of the corpus.';
COMMENT ON COLUMN v_change_interval.layer IS 'Layer, from 1.';
COMMENT ON COLUMN v_change_interval.component IS 'FF, RES, LN or BLOCK (map_change.component).';
COMMENT ON COLUMN v_change_interval.pair_filter IS 'all, content or offdiag (map_change.pair_filter).';
COMMENT ON COLUMN v_change_interval.value IS 'Mean over sequences of 1 - Spearman''s rho; NULL when undefined everywhere.';
COMMENT ON COLUMN v_change_interval.low IS 'Lower end of its 95% interval (bootstrap over sequences); NULL with too few sequences.';
COMMENT ON COLUMN v_change_interval.high IS 'Upper end of its interval.';
COMMENT ON COLUMN v_change_interval.n_sequences IS 'Sequences whose change is defined.';
