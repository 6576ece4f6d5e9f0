-- One row per two models that are aligned, component and space: layers on their own index, and the chance of as many.
SELECT model_a, model_b, component, space, n_own, least(n_layer_a, n_layer_b) AS n_layers, p_value
FROM v_alignment_summary
WHERE measure = 'score'
ORDER BY model_a, model_b, component, space
