-- One row per base model, tuned model, layer and component: how far training moved the component's matrix.
SELECT base_model, tuned_model, layer, component, relative, cosine, norm, n_units
FROM v_parameter_shift
ORDER BY base_model, tuned_model, layer, component
