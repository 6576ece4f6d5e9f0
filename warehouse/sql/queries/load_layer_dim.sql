-- Moves one shard's layer_dim.parquet into layer_dim_part. Parameters: run_id, shard, file.
INSERT INTO layer_dim_part (
    run_id, shard,
    layer, dim, n_tokens, ff_in_mean_abs, ff_in_mean, ff_in_m2, ff_out_mean_abs, ff_out_mean, ff_out_m2,
    residual_mean_abs, residual_mean, residual_m2, output_mean_abs, output_mean, output_m2
)
SELECT
    $run_id, $shard,
    layer, dim, n_tokens, ff_in_mean_abs, ff_in_mean, ff_in_m2, ff_out_mean_abs, ff_out_mean, ff_out_m2,
    residual_mean_abs, residual_mean, residual_m2, output_mean_abs, output_mean, output_m2
FROM read_parquet($file)
ORDER BY layer, dim
