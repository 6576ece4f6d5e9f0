-- One row per layer: by what share of their norm components moved. Parameters: base_model_id, tuned_model_id, ln_folded.
SELECT
    layer, round(sqrt(sum(norm ** 2) / sum(base_norm ** 2)), 4) AS relative,
    arg_max(component, relative) AS most, round(max(relative), 4) AS its_relative
FROM parameter_shift
WHERE base_model_id = $base_model_id AND tuned_model_id = $tuned_model_id AND ln_folded = $ln_folded
GROUP BY layer
ORDER BY layer
