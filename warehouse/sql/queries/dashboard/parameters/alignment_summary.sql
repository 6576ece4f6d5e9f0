-- One row per component, space and measure of two models: layers on their own index, and the chance of as many.
-- Parameters: model_id_a, model_id_b.
SELECT component, space, measure, n_own, least(n_layer_a, n_layer_b) AS n_layers, share_own, p_value, n_items
FROM v_alignment_summary
WHERE model_id_a = $model_id_a AND model_id_b = $model_id_b
ORDER BY component, space, measure
