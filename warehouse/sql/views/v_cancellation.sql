-- One row per complete run, layer and pair filter: how much of the feed-forward network's change survives the block.
CREATE VIEW v_cancellation AS
WITH source AS (
    SELECT * FROM v_change_by_layer
),
pivoted AS (
    SELECT
        run_id, any_value(run_name) AS run_name, any_value(model_name) AS model_name,
        any_value(family) AS family, any_value(seed) AS seed, layer, pair_filter,
        max(mean_change) FILTER (WHERE component = 'FF') AS change_ff,
        max(mean_change) FILTER (WHERE component = 'RES') AS change_res,
        max(mean_change) FILTER (WHERE component = 'LN') AS change_ln,
        max(mean_change) FILTER (WHERE component = 'BLOCK') AS change_block,
        max(n_sequences) FILTER (WHERE component = 'BLOCK') AS n_sequences
    FROM source
    GROUP BY run_id, layer, pair_filter
),
final AS (
    SELECT *, change_block / nullif(change_ff, 0) AS surviving_share FROM pivoted
)
SELECT * FROM final;

COMMENT ON VIEW v_cancellation IS 'One row per complete run, layer and pair filter: the feed-forward network''s change of the map against what the whole block leaves of it (claim F3).';
COMMENT ON COLUMN v_cancellation.run_id IS 'The run (run.run_id).';
COMMENT ON COLUMN v_cancellation.run_name IS 'Name of the run.';
COMMENT ON COLUMN v_cancellation.model_name IS 'Name of the model.';
COMMENT ON COLUMN v_cancellation.family IS 'Family of the model; NULL when unknown.';
COMMENT ON COLUMN v_cancellation.seed IS 'Training seed of the model; NULL when unknown.';
COMMENT ON COLUMN v_cancellation.layer IS 'Layer, from 1.';
COMMENT ON COLUMN v_cancellation.pair_filter IS 'all, content or offdiag (map_change.pair_filter).';
COMMENT ON COLUMN v_cancellation.change_ff IS 'Mean change 1 - rho by the feed-forward network.';
COMMENT ON COLUMN v_cancellation.change_res IS 'Mean change 1 - rho by the residual connection around it.';
COMMENT ON COLUMN v_cancellation.change_ln IS 'Mean change 1 - rho by the block''s LayerNorm.';
COMMENT ON COLUMN v_cancellation.change_block IS 'Mean change 1 - rho from atb to the layer''s last map.';
COMMENT ON COLUMN v_cancellation.n_sequences IS 'Sequences whose BLOCK change is defined.';
COMMENT ON COLUMN v_cancellation.surviving_share IS 'change_block / change_ff: below 1 when residual and LayerNorm cancel part of the change; NULL when change_ff is 0.';
