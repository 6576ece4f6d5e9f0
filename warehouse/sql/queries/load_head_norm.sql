-- Moves one shard's head_norm.parquet into head_norm. Parameters: run_id, file.
-- No ORDER BY: the part is sorted already, and one thread keeps its order.
INSERT INTO head_norm (
    run_id,
    layer, seq_id, head, pos, value_norm
)
SELECT
    $run_id,
    layer, seq_id, head, pos, value_norm
FROM read_parquet($file)
