-- One row per complete run, layer and dimension: the feed-forward block's LayerNorm weight beside what FF reads and writes.
CREATE VIEW v_ln_weight_dim AS
WITH source AS (
    SELECT * FROM layer_dim
),
final AS (
    SELECT
        source.run_id, v_run.run_name, v_run.model_name, source.layer, source.dim, source.ln_ff_gamma,
        source.ff_in_mean_abs, source.ff_out_mean_abs
    FROM source
    JOIN v_run ON v_run.run_id = source.run_id
)
SELECT * FROM final;

COMMENT ON VIEW v_ln_weight_dim IS 'One row per complete run, layer and dimension: the feed-forward block''s LayerNorm weight beside the size of what FF reads and writes there (the points behind v_ln_weight_vs_ff).';
COMMENT ON COLUMN v_ln_weight_dim.run_id IS 'The run (run.run_id).';
COMMENT ON COLUMN v_ln_weight_dim.run_name IS 'Name of the run.';
COMMENT ON COLUMN v_ln_weight_dim.model_name IS 'Name of the model.';
COMMENT ON COLUMN v_ln_weight_dim.layer IS 'Layer, from 1.';
COMMENT ON COLUMN v_ln_weight_dim.dim IS 'Dimension of the hidden state, from 0.';
COMMENT ON COLUMN v_ln_weight_dim.ln_ff_gamma IS 'Weight of the feed-forward block''s LayerNorm, signed; NULL when it has none.';
COMMENT ON COLUMN v_ln_weight_dim.ff_in_mean_abs IS 'Mean absolute value of FF''s input over the run''s tokens.';
COMMENT ON COLUMN v_ln_weight_dim.ff_out_mean_abs IS 'Mean absolute value of FF''s output over the run''s tokens.';
