-- Records that a part is stored.
INSERT INTO projection_part (
    model_id, layer, component, vocab_filter, ln_folded, k, n_units, embedding_source, dtype, method_version,
    seconds, computed_at
)
VALUES (
    $model_id, $layer, $component, $vocab_filter, $ln_folded, $k, $n_units, $embedding_source, $dtype,
    $method_version, $seconds, (now() AT TIME ZONE 'UTC')::TIMESTAMP
)
