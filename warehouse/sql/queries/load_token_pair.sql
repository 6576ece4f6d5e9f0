-- Moves one shard's token_pair.parquet into token_pair. Parameters: run_id, file.
-- No ORDER BY: the part is sorted already, and one thread keeps its order.
INSERT INTO token_pair (
    run_id,
    layer, seq_id, query, key, attn, attn_norm, atb, after_ff, after_res, after_ln
)
SELECT
    $run_id,
    layer, seq_id, query, key, attn, attn_norm, atb, after_ff, after_res, after_ln
FROM read_parquet($file)
