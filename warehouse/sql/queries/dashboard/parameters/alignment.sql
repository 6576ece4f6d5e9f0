-- One row per space and two layers: how alike a component is, and which layers correspond.
-- Parameters: model_id_a, model_id_b, component.
SELECT space, layer_a, layer_b, score, best_match, assigned, assigned_by_best
FROM v_alignment
WHERE model_id_a = $model_id_a AND model_id_b = $model_id_b AND component = $component
ORDER BY space, layer_a, layer_b
