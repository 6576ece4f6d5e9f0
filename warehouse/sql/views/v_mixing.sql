-- One row per complete run and layer: mean mixing ratios over all tokens, after each stage.
CREATE VIEW v_mixing AS
WITH source AS (
    SELECT token_norm.*, v_run.run_name, v_run.model_name
    FROM token_norm
    JOIN v_run ON v_run.run_id = token_norm.run_id
),
final AS (
    SELECT
        run_id, any_value(run_name) AS run_name, any_value(model_name) AS model_name, layer,
        count(*) AS n_tokens,
        avg(mix_atb) AS mix_atb, avg(mix_after_ff) AS mix_after_ff,
        avg(mix_after_res) AS mix_after_res, avg(mix_after_ln) AS mix_after_ln
    FROM source
    GROUP BY run_id, layer
)
SELECT * FROM final;

COMMENT ON VIEW v_mixing IS 'One row per complete run and layer: mean mixing ratios over all tokens, special ones included. 0: a token keeps to itself; 1: all comes from other tokens.';
COMMENT ON COLUMN v_mixing.run_id IS 'The run (run.run_id).';
COMMENT ON COLUMN v_mixing.run_name IS 'Name of the run.';
COMMENT ON COLUMN v_mixing.model_name IS 'Name of the model.';
COMMENT ON COLUMN v_mixing.layer IS 'Layer, from 1.';
COMMENT ON COLUMN v_mixing.n_tokens IS 'Token positions of the layer.';
COMMENT ON COLUMN v_mixing.mix_atb IS 'Mean mixing ratio after the attention block, where defined.';
COMMENT ON COLUMN v_mixing.mix_after_ff IS 'Mean mixing ratio after the feed-forward network, where defined.';
COMMENT ON COLUMN v_mixing.mix_after_res IS 'Mean mixing ratio after the residual connection, where defined.';
COMMENT ON COLUMN v_mixing.mix_after_ln IS 'Mean mixing ratio after the feed-forward block''s LayerNorm, where defined.';
