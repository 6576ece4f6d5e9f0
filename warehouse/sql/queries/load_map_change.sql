-- Moves one shard's map_change.parquet into map_change. Parameters: run_id, file.
INSERT INTO map_change (
    run_id,
    layer, seq_id, component, pair_filter, spearman, n_pairs
)
SELECT
    $run_id,
    layer, seq_id, component, pair_filter, spearman, n_pairs
FROM read_parquet($file)
ORDER BY layer, seq_id, component, pair_filter
