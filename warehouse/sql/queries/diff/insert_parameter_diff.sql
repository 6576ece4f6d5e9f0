-- new_rows is a frame with a row per layer, component, unit, sign and rank; what all rows share comes as parameters.
INSERT INTO parameter_diff (
    base_model_id, tuned_model_id, layer, component, unit, head, shift_rank, shift_norm, sign, rank, token_id, score,
    vocab_filter, ln_folded
)
SELECT
    $base_model_id, $tuned_model_id, layer, component, unit, head, shift_rank, shift_norm, sign, rank, token_id, score,
    $vocab_filter, $ln_folded
FROM new_rows
ORDER BY layer, component, shift_rank, sign DESC, rank
