-- One row per table that shards fill: the rows it holds of a run. Parameter: run_id.
SELECT 'token_pair' AS table_name, count(*) AS n_rows FROM token_pair WHERE run_id = $run_id
UNION ALL
SELECT 'token_norm', count(*) FROM token_norm WHERE run_id = $run_id
UNION ALL
SELECT 'map_change', count(*) FROM map_change WHERE run_id = $run_id
UNION ALL
SELECT 'layer_dim', count(*) FROM layer_dim_part WHERE run_id = $run_id
UNION ALL
SELECT 'head_norm', count(*) FROM head_norm WHERE run_id = $run_id
UNION ALL
SELECT 'head_pair', count(*) FROM head_pair WHERE run_id = $run_id
UNION ALL
SELECT 'rollout', count(*) FROM rollout WHERE run_id = $run_id
UNION ALL
SELECT 'inlier_change', count(*) FROM inlier_change WHERE run_id = $run_id
