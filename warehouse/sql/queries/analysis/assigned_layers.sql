-- One row per two models of family $family, component, space and layer: the layer that it meets, all of one depth.
SELECT model_id_a, model_id_b, component, space, layer_a, layer_b
FROM v_alignment
SEMI JOIN (FROM alignment_summary WHERE n_layer_a = n_layer_b) AS even
    ON even.model_a = v_alignment.model_id_a AND even.model_b = v_alignment.model_id_b
WHERE family_a = $family AND family_b = $family AND assigned
ORDER BY ALL
