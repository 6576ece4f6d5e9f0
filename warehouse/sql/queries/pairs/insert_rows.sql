-- Adds the pairs of a layer's matrix from the frame new_rows. Parameters: model_id, layer, matrix, vocab_filter,
-- ln_folded, exclude_same.
INSERT INTO pair_projection (
    model_id, layer, head, matrix, rank, row_token_id, col_token_id, score, vocab_filter, ln_folded, exclude_same
)
SELECT
    $model_id, $layer, head, $matrix, rank, row_token_id, col_token_id, score, $vocab_filter, $ln_folded,
    $exclude_same
FROM new_rows
ORDER BY head, rank
