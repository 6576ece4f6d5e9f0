-- Moves one shard's rollout.parquet into rollout. Parameters: run_id, file.
-- No ORDER BY: the part is sorted already, and one thread keeps its order.
INSERT INTO rollout (
    run_id,
    measure, layer, seq_id, query, key, value
)
SELECT
    $run_id,
    measure, layer, seq_id, query, key, value
FROM read_parquet($file)
