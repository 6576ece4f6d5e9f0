-- One row per complete run, layer and sequence: mean norms over all its tokens beside the changes over all its pairs.
CREATE VIEW v_norm_vs_change AS
WITH norms AS (
    SELECT
        run_id, layer, seq_id, count(*) AS n_tokens,
        avg(norm_ff_out) AS mean_norm_ff_out, avg(norm_attn_out) AS mean_norm_attn_out
    FROM token_norm
    GROUP BY run_id, layer, seq_id
),
changes AS (
    SELECT
        run_id, layer, seq_id,
        max(1 - spearman) FILTER (WHERE component = 'FF') AS change_ff,
        max(1 - spearman) FILTER (WHERE component = 'RES') AS change_res,
        max(1 - spearman) FILTER (WHERE component = 'LN') AS change_ln,
        max(1 - spearman) FILTER (WHERE component = 'BLOCK') AS change_block
    FROM map_change
    WHERE pair_filter = 'all'
    GROUP BY run_id, layer, seq_id
),
final AS (
    SELECT
        norms.run_id, v_run.run_name, v_run.model_name, norms.layer, norms.seq_id, norms.n_tokens,
        norms.mean_norm_ff_out, norms.mean_norm_attn_out,
        changes.change_ff, changes.change_res, changes.change_ln, changes.change_block
    FROM norms
    JOIN v_run ON v_run.run_id = norms.run_id
    LEFT JOIN changes
        ON changes.run_id = norms.run_id AND changes.layer = norms.layer AND changes.seq_id = norms.seq_id
)
SELECT * FROM final;

COMMENT ON VIEW v_norm_vs_change IS 'One row per complete run, layer and sequence: mean output norms over all its tokens beside the changes of its maps over all its pairs (claim F4).';
COMMENT ON COLUMN v_norm_vs_change.run_id IS 'The run (run.run_id).';
COMMENT ON COLUMN v_norm_vs_change.run_name IS 'Name of the run.';
COMMENT ON COLUMN v_norm_vs_change.model_name IS 'Name of the model.';
COMMENT ON COLUMN v_norm_vs_change.layer IS 'Layer, from 1.';
COMMENT ON COLUMN v_norm_vs_change.seq_id IS 'The sequence (sequence.seq_id).';
COMMENT ON COLUMN v_norm_vs_change.n_tokens IS 'Token positions of the sequence, special tokens included.';
COMMENT ON COLUMN v_norm_vs_change.mean_norm_ff_out IS 'Mean over tokens of the L2 norm of the feed-forward output.';
COMMENT ON COLUMN v_norm_vs_change.mean_norm_attn_out IS 'Mean over tokens of the L2 norm of the attention output, residual not included.';
COMMENT ON COLUMN v_norm_vs_change.change_ff IS 'Change 1 - rho by the feed-forward network, pair filter all; NULL when undefined.';
COMMENT ON COLUMN v_norm_vs_change.change_res IS 'Change 1 - rho by the residual connection, pair filter all; NULL when undefined.';
COMMENT ON COLUMN v_norm_vs_change.change_ln IS 'Change 1 - rho by the block''s LayerNorm, pair filter all; NULL when undefined.';
COMMENT ON COLUMN v_norm_vs_change.change_block IS 'Change 1 - rho from atb to the layer''s last map, pair filter all; NULL when undefined.';
