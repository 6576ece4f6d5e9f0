-- Moves one shard's token_norm.parquet into token_norm. Parameters: run_id, file.
INSERT INTO token_norm (
    run_id,
    layer, seq_id, pos, norm_input, norm_attn_out, norm_y, norm_ff_in, norm_ff_out, norm_sum, norm_output,
    const_atb, const_after_ff, const_after_res, const_after_ln, mix_atb, mix_after_ff, mix_after_res,
    mix_after_ln, cos_ff_res, completeness_error
)
SELECT
    $run_id,
    layer, seq_id, pos, norm_input, norm_attn_out, norm_y, norm_ff_in, norm_ff_out, norm_sum, norm_output,
    const_atb, const_after_ff, const_after_res, const_after_ln, mix_atb, mix_after_ff, mix_after_res,
    mix_after_ln, cos_ff_res, completeness_error
FROM read_parquet($file)
ORDER BY layer, seq_id, pos
