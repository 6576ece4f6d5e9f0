-- One row per layer and component: the items of the unit that moved farthest, and those of a classifier's head.
-- Parameters: base_model_id, tuned_model_id, ln_folded, n_items.
SELECT
    layer, component, unit, round(shift_norm, 3) AS shift_norm,
    string_agg(item, ' ' ORDER BY rank) FILTER (sign = 1) AS highest,
    string_agg(item, ' ' ORDER BY rank) FILTER (sign = -1) AS lowest
FROM (
    SELECT parameter_diff.*, vocab.display AS item
    FROM parameter_diff
    JOIN model ON model.model_id = parameter_diff.base_model_id
    JOIN vocab ON vocab.tokenizer_id = model.tokenizer_id AND vocab.token_id = parameter_diff.token_id
    WHERE base_model_id = $base_model_id AND tuned_model_id = $tuned_model_id AND ln_folded = $ln_folded
)
WHERE shift_rank = 1 AND rank <= $n_items
GROUP BY layer, component, unit, shift_norm
ORDER BY layer, component
