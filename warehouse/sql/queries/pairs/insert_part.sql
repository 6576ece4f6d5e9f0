-- Records that the heads of a layer's matrix are stored, from the frame new_rows, a row a head. Parameters: model_id,
-- layer, matrix, vocab_filter, ln_folded, exclude_same, k, embedding_source, dtype, method_version.
INSERT INTO pair_projection_part (
    model_id, layer, head, matrix, vocab_filter, ln_folded, exclude_same, k, n_pairs, n_multiplied,
    embedding_source, dtype, method_version, seconds, computed_at
)
SELECT
    $model_id, $layer, head, $matrix, $vocab_filter, $ln_folded, $exclude_same, $k, n_pairs, n_multiplied,
    $embedding_source, $dtype, $method_version, seconds, (now() AT TIME ZONE 'UTC')::TIMESTAMP
FROM new_rows
ORDER BY head
