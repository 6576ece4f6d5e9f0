-- One row per complete run with --inliers, layer, component and pair filter: the change of whole maps beside that of maps
-- without the layer's outlier dimensions. Outlier: |ln_ff_gamma| more than 3 population deviations from the mean.
CREATE VIEW v_inlier_change AS
WITH sizes AS (
    SELECT
        run_id, layer, dim, abs(ln_ff_gamma) AS size,
        avg(abs(ln_ff_gamma)) OVER one_layer AS mean_size, stddev_pop(abs(ln_ff_gamma)) OVER one_layer AS sd_size
    FROM layer_dim
    WINDOW one_layer AS (PARTITION BY run_id, layer)
),
outliers AS (
    SELECT run_id, layer, list(dim ORDER BY dim) AS outlier_dims
    FROM sizes
    WHERE abs(size - mean_size) > 3 * sd_size
    GROUP BY run_id, layer
),
inliers AS (
    SELECT run_id, layer, component, pair_filter, avg(1 - spearman) AS mean_change_inliers, count(spearman) AS n_sequences
    FROM inlier_change
    GROUP BY run_id, layer, component, pair_filter
),
final AS (
    SELECT
        whole.run_id, whole.run_name, whole.model_name, whole.layer, whole.component, whole.pair_filter,
        outliers.outlier_dims, whole.mean_change, inliers.mean_change_inliers, inliers.n_sequences
    FROM inliers
    JOIN v_change_by_layer AS whole
        ON whole.run_id = inliers.run_id AND whole.layer = inliers.layer
        AND whole.component = inliers.component AND whole.pair_filter = inliers.pair_filter
    LEFT JOIN outliers ON outliers.run_id = inliers.run_id AND outliers.layer = inliers.layer
)
SELECT * FROM final;

COMMENT ON VIEW v_inlier_change IS 'One row per complete run with --inliers, layer that has outlier dimensions, component and pair filter: how much the component changes the maps, and how much when those dimensions are left out (claim F5).';
COMMENT ON COLUMN v_inlier_change.run_id IS 'The run (run.run_id).';
COMMENT ON COLUMN v_inlier_change.run_name IS 'Name of the run.';
COMMENT ON COLUMN v_inlier_change.model_name IS 'Name of the model.';
COMMENT ON COLUMN v_inlier_change.layer IS 'Layer, from 1.';
COMMENT ON COLUMN v_inlier_change.component IS 'FF, RES, LN or BLOCK (map_change.component).';
COMMENT ON COLUMN v_inlier_change.pair_filter IS 'all, content or offdiag (map_change.pair_filter).';
COMMENT ON COLUMN v_inlier_change.outlier_dims IS 'The dimensions that were left out, from 0: their |ln_ff_gamma| lies more than 3 population standard deviations from the layer''s mean.';
COMMENT ON COLUMN v_inlier_change.mean_change IS 'Mean over sequences of 1 - Spearman''s rho of the whole maps.';
COMMENT ON COLUMN v_inlier_change.mean_change_inliers IS 'The same without the outlier dimensions.';
COMMENT ON COLUMN v_inlier_change.n_sequences IS 'Sequences whose change without them is defined.';
