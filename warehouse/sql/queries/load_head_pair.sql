-- Moves one shard's head_pair.parquet into head_pair. Parameters: run_id, file.
-- No ORDER BY: the part is sorted already, and one thread keeps its order.
INSERT INTO head_pair (
    run_id,
    layer, seq_id, head, query, key, alpha
)
SELECT
    $run_id,
    layer, seq_id, head, query, key, alpha
FROM read_parquet($file)
