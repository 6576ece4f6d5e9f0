-- One row per complete run and layer: how the size of LayerNorm weights goes with that of FF's input and output.
-- A weight's sign does not change a mean of absolute values, so the weight's size is what is compared.
-- Spearman's rho is Pearson's r of average ranks: rank() plus half of (ties - 1).
CREATE VIEW v_ln_weight_vs_ff AS
WITH source AS (
    SELECT *, abs(ln_ff_gamma) AS gamma FROM v_ln_weight_dim WHERE ln_ff_gamma IS NOT NULL
),
ranked AS (
    SELECT
        *,
        rank() OVER (PARTITION BY run_id, layer ORDER BY gamma)
            + (count(*) OVER (PARTITION BY run_id, layer, gamma) - 1) / 2 AS rank_gamma,
        rank() OVER (PARTITION BY run_id, layer ORDER BY ff_in_mean_abs)
            + (count(*) OVER (PARTITION BY run_id, layer, ff_in_mean_abs) - 1) / 2 AS rank_ff_in,
        rank() OVER (PARTITION BY run_id, layer ORDER BY ff_out_mean_abs)
            + (count(*) OVER (PARTITION BY run_id, layer, ff_out_mean_abs) - 1) / 2 AS rank_ff_out
    FROM source
),
final AS (
    SELECT
        run_id, any_value(run_name) AS run_name, any_value(model_name) AS model_name, layer, count(*) AS n_dims,
        nullif(corr(gamma, ff_in_mean_abs), 'nan'::DOUBLE) AS pearson_ff_in,
        nullif(corr(rank_gamma, rank_ff_in), 'nan'::DOUBLE) AS spearman_ff_in,
        nullif(corr(gamma, ff_out_mean_abs), 'nan'::DOUBLE) AS pearson_ff_out,
        nullif(corr(rank_gamma, rank_ff_out), 'nan'::DOUBLE) AS spearman_ff_out
    FROM ranked
    GROUP BY run_id, layer
)
SELECT * FROM final;

COMMENT ON VIEW v_ln_weight_vs_ff IS 'One row per complete run and layer: how the size of the feed-forward block''s LayerNorm weights goes with that of FF''s input and output, over dimensions (claim F5).';
COMMENT ON COLUMN v_ln_weight_vs_ff.run_id IS 'The run (run.run_id).';
COMMENT ON COLUMN v_ln_weight_vs_ff.run_name IS 'Name of the run.';
COMMENT ON COLUMN v_ln_weight_vs_ff.model_name IS 'Name of the model.';
COMMENT ON COLUMN v_ln_weight_vs_ff.layer IS 'Layer, from 1.';
COMMENT ON COLUMN v_ln_weight_vs_ff.n_dims IS 'Dimensions that the correlations are over.';
COMMENT ON COLUMN v_ln_weight_vs_ff.pearson_ff_in IS 'Pearson''s r of |ln_ff_gamma| and mean |FF input|; NULL when one of them is constant.';
COMMENT ON COLUMN v_ln_weight_vs_ff.spearman_ff_in IS 'Spearman''s rho of |ln_ff_gamma| and mean |FF input|, average ranks for ties; NULL when undefined.';
COMMENT ON COLUMN v_ln_weight_vs_ff.pearson_ff_out IS 'Pearson''s r of |ln_ff_gamma| and mean |FF output|; NULL when one of them is constant.';
COMMENT ON COLUMN v_ln_weight_vs_ff.spearman_ff_out IS 'Spearman''s rho of |ln_ff_gamma| and mean |FF output|, average ranks for ties; NULL when undefined.';
