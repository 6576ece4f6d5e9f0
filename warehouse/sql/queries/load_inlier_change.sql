-- Moves one shard's inlier_change.parquet into inlier_change. Parameters: run_id, file.
-- No ORDER BY: the part is sorted already, and one thread keeps its order.
INSERT INTO inlier_change (
    run_id,
    layer, seq_id, component, pair_filter, spearman, n_pairs
)
SELECT
    $run_id,
    layer, seq_id, component, pair_filter, spearman, n_pairs
FROM read_parquet($file)
