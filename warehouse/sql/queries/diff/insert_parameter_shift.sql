-- new_rows is a frame with a row per layer and component; what all rows share comes as parameters.
INSERT INTO parameter_shift (
    base_model_id, tuned_model_id, layer, component, n_units, norm, base_norm, relative, cosine, mean_unit_norm,
    max_unit_norm, ln_folded, n_largest, top_k, vocab_filter, method_version
)
SELECT
    $base_model_id, $tuned_model_id, layer, component, n_units, norm, base_norm, relative, cosine, mean_unit_norm,
    max_unit_norm, $ln_folded, $n_largest, $top_k, $vocab_filter, $method_version
FROM new_rows
ORDER BY layer, component
