-- One row per run with NaN or infinity: how many rows of each large table hold one.
WITH pairs AS (
    SELECT run_id, 'token_pair' AS table_name, count(*) AS n_bad
    FROM token_pair
    WHERE NOT (
        isfinite(attn) AND isfinite(attn_norm) AND isfinite(atb) AND isfinite(after_ff)
        AND isfinite(after_res) AND isfinite(after_ln)
    )
    GROUP BY run_id
),
norms AS (
    SELECT run_id, 'token_norm' AS table_name, count(*) AS n_bad
    FROM token_norm
    WHERE NOT (
        isfinite(norm_input) AND isfinite(norm_attn_out) AND isfinite(norm_y) AND isfinite(norm_ff_in)
        AND isfinite(norm_ff_out) AND isfinite(norm_sum) AND isfinite(norm_output) AND isfinite(const_atb)
        AND isfinite(const_after_ff) AND isfinite(const_after_res) AND isfinite(const_after_ln)
        AND coalesce(isfinite(mix_atb), true) AND coalesce(isfinite(mix_after_ff), true)
        AND coalesce(isfinite(mix_after_res), true) AND coalesce(isfinite(mix_after_ln), true)
        AND coalesce(isfinite(cos_ff_res), true) AND isfinite(completeness_error)
    )
    GROUP BY run_id
),
changes AS (
    SELECT run_id, 'map_change' AS table_name, count(*) AS n_bad
    FROM map_change
    WHERE NOT isfinite(spearman)
    GROUP BY run_id
),
inlier_changes AS (
    SELECT run_id, 'inlier_change' AS table_name, count(*) AS n_bad
    FROM inlier_change
    WHERE NOT isfinite(spearman)
    GROUP BY run_id
),
head_norms AS (
    SELECT run_id, 'head_norm' AS table_name, count(*) AS n_bad
    FROM head_norm
    WHERE NOT isfinite(value_norm)
    GROUP BY run_id
),
head_pairs AS (
    SELECT run_id, 'head_pair' AS table_name, count(*) AS n_bad
    FROM head_pair
    WHERE NOT isfinite(alpha)
    GROUP BY run_id
),
rollouts AS (
    SELECT run_id, 'rollout' AS table_name, count(*) AS n_bad
    FROM rollout
    WHERE NOT isfinite(value)
    GROUP BY run_id
),
activations AS (
    SELECT run_id, 'neuron_activation' AS table_name, count(*) AS n_bad
    FROM neuron_activation
    WHERE NOT isfinite(activation)
    GROUP BY run_id
)
SELECT * FROM pairs
UNION ALL
SELECT * FROM norms
UNION ALL
SELECT * FROM changes
UNION ALL
SELECT * FROM inlier_changes
UNION ALL
SELECT * FROM head_norms
UNION ALL
SELECT * FROM head_pairs
UNION ALL
SELECT * FROM rollouts
UNION ALL
SELECT * FROM activations
ORDER BY run_id, table_name
