-- One row per complete run, layer and side of the feed-forward network, once `lenshouse analyze` has run.
CREATE VIEW v_ln_weight AS
WITH source AS (
    SELECT
        estimate.*, v_run.run_name, v_run.model_name, v_run.family, v_run.seed AS model_seed, v_run.corpus_name
    FROM estimate
    JOIN v_run ON v_run.run_id = estimate.run_id
    WHERE estimate.measure = 'ln_weight'
),
outliers AS (
    SELECT run_id, layer, list(dim ORDER BY dim) AS dims FROM outlier_dim GROUP BY run_id, layer
),
paired AS (
    SELECT
        run_id, any_value(run_name) AS run_name, any_value(model_name) AS model_name,
        any_value(family) AS family, any_value(model_seed) AS seed, any_value(corpus_name) AS corpus_name,
        layer, replace(item, '_inliers', '') AS side,
        max(n) FILTER (WHERE item NOT LIKE '%_inliers') AS n_dims,
        max(value) FILTER (WHERE item NOT LIKE '%_inliers') AS rho,
        max(low) FILTER (WHERE item NOT LIKE '%_inliers') AS low,
        max(high) FILTER (WHERE item NOT LIKE '%_inliers') AS high,
        max(p_value) FILTER (WHERE item NOT LIKE '%_inliers') AS p_value,
        max(value) FILTER (WHERE item LIKE '%_inliers') AS inlier_rho,
        max(low) FILTER (WHERE item LIKE '%_inliers') AS inlier_low,
        max(high) FILTER (WHERE item LIKE '%_inliers') AS inlier_high
    FROM source
    GROUP BY run_id, layer, replace(item, '_inliers', '')
),
final AS (
    SELECT paired.*, coalesce(outliers.dims, []) AS outlier_dims
    FROM paired
    LEFT JOIN outliers ON outliers.run_id = paired.run_id AND outliers.layer = paired.layer
)
SELECT * FROM final;

COMMENT ON VIEW v_ln_weight IS 'One row per complete run, layer and side of the feed-forward network, once lenshouse analyze has run: how the size of the LayerNorm weights goes with what the network reads or writes, over dimensions, with and without outlier dimensions (claim F5).';
COMMENT ON COLUMN v_ln_weight.run_id IS 'The run (run.run_id).';
COMMENT ON COLUMN v_ln_weight.run_name IS 'Name of the run.';
COMMENT ON COLUMN v_ln_weight.model_name IS 'Name of the model.';
COMMENT ON COLUMN v_ln_weight.family IS 'Family of the model; NULL when unknown.';
COMMENT ON COLUMN v_ln_weight.seed IS 'Training seed of the model; NULL when unknown.';
COMMENT ON COLUMN v_ln_weight.corpus_name IS 'Name of the corpus.';
COMMENT ON COLUMN v_ln_weight.layer IS 'Layer, from 1.';
COMMENT ON COLUMN v_ln_weight.side IS 'ff_in: what the network reads. ff_out: what it writes.';
COMMENT ON COLUMN v_ln_weight.n_dims IS 'Dimensions.';
COMMENT ON COLUMN v_ln_weight.rho IS 'Spearman''s rho over dimensions of |LN weight| and the mean absolute value; NULL when undefined. As in v_ln_weight_vs_ff.';
COMMENT ON COLUMN v_ln_weight.low IS 'Lower end of its 95% interval, bootstrap over dimensions: how far it rests on single ones.';
COMMENT ON COLUMN v_ln_weight.high IS 'Upper end of its interval.';
COMMENT ON COLUMN v_ln_weight.p_value IS 'Two-sided p of no relation, by random signs of the dimensions'' parts of the covariance of ranks.';
COMMENT ON COLUMN v_ln_weight.inlier_rho IS 'The same without the outlier dimensions.';
COMMENT ON COLUMN v_ln_weight.inlier_low IS 'Lower end of its interval.';
COMMENT ON COLUMN v_ln_weight.inlier_high IS 'Upper end of its interval.';
COMMENT ON COLUMN v_ln_weight.outlier_dims IS 'The layer''s outlier dimensions (outlier_dim).';
