-- One row per complete run, layer, component and pair filter: the change 1 - Spearman's rho, over sequences.
CREATE VIEW v_change_by_layer AS
WITH source AS (
    SELECT map_change.*, v_run.run_name, v_run.model_name, v_run.family, v_run.seed, v_run.corpus_name
    FROM map_change
    JOIN v_run ON v_run.run_id = map_change.run_id
),
final AS (
    SELECT
        run_id, any_value(run_name) AS run_name, any_value(model_name) AS model_name,
        any_value(family) AS family, any_value(seed) AS seed, any_value(corpus_name) AS corpus_name,
        layer, component, pair_filter,
        avg(1 - spearman) AS mean_change, stddev_samp(1 - spearman) AS sd_change, count(spearman) AS n_sequences
    FROM source
    GROUP BY run_id, layer, component, pair_filter
)
SELECT * FROM final;

COMMENT ON VIEW v_change_by_layer IS 'One row per complete run, layer, component and pair filter: how much the component changes the map, over sequences.';
COMMENT ON COLUMN v_change_by_layer.run_id IS 'The run (run.run_id).';
COMMENT ON COLUMN v_change_by_layer.run_name IS 'Name of the run.';
COMMENT ON COLUMN v_change_by_layer.model_name IS 'Name of the model.';
COMMENT ON COLUMN v_change_by_layer.family IS 'Family of the model; NULL when unknown.';
COMMENT ON COLUMN v_change_by_layer.seed IS 'Training seed of the model; NULL when unknown.';
COMMENT ON COLUMN v_change_by_layer.corpus_name IS 'Name of the corpus.';
COMMENT ON COLUMN v_change_by_layer.layer IS 'Layer, from 1.';
COMMENT ON COLUMN v_change_by_layer.component IS 'FF, RES, LN or BLOCK (map_change.component).';
COMMENT ON COLUMN v_change_by_layer.pair_filter IS 'all, content or offdiag (map_change.pair_filter).';
COMMENT ON COLUMN v_change_by_layer.mean_change IS 'Mean over sequences of 1 - Spearman''s rho, 0 (same order) to 2 (reversed); NULL when undefined everywhere.';
COMMENT ON COLUMN v_change_by_layer.sd_change IS 'Sample standard deviation of the change over sequences; NULL with fewer than two.';
COMMENT ON COLUMN v_change_by_layer.n_sequences IS 'Sequences whose change is defined.';
