-- One row per two of the models $models, component and space: layers on their own index by the mean |r|, and by best match.
SELECT
    model_a, model_b, component, space, least(n_layer_a, n_layer_b) AS n_layers,
    max(n_own) FILTER (measure = 'score') AS n_own, max(p_value) FILTER (measure = 'score') AS p_value,
    max(n_own) FILTER (measure = 'best_match') AS n_own_by_best,
    max(p_value) FILTER (measure = 'best_match') AS p_value_by_best
FROM v_alignment_summary
WHERE list_contains($models, model_id_a) AND list_contains($models, model_id_b)
GROUP BY ALL
ORDER BY model_a, model_b, component, space
