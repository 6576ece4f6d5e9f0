-- One row per space and two layers: the mean |r| of their vectors, and whether they correspond.
SELECT space, layer_a, layer_b, score, best_match, assigned
FROM v_alignment
WHERE model_a = $model_a AND model_b = $model_b AND component = $component
ORDER BY space, layer_a, layer_b
