-- One row per layer and component: how far training moved its matrix.
-- Parameters: base_model_id, tuned_model_id, ln_folded.
SELECT layer, component, relative, cosine, mean_unit_norm, max_unit_norm, norm, base_norm, n_units
FROM v_parameter_shift
WHERE base_model_id = $base_model_id AND tuned_model_id = $tuned_model_id AND ln_folded = $ln_folded
ORDER BY component, layer
