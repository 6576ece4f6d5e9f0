-- One row per unit among those that moved farthest: the items that its shift scores highest and lowest.
-- Parameters: base_model_id, tuned_model_id, ln_folded, n (items of each sign).
SELECT
    layer, component, unit, head, shift_rank, shift_norm,
    string_agg(item, ' ' ORDER BY rank) FILTER (WHERE sign = 1) AS highest,
    string_agg(item, ' ' ORDER BY rank) FILTER (WHERE sign = -1) AS lowest
FROM v_parameter_diff
WHERE base_model_id = $base_model_id AND tuned_model_id = $tuned_model_id AND ln_folded = $ln_folded AND rank <= $n
GROUP BY ALL
ORDER BY shift_rank, shift_norm DESC, component, layer, unit
