-- One row per layer, component, unit and sign: the items that the unit's shift reads as, largest shifts first.
SELECT
    layer, component, unit, head, shift_rank, shift_norm, sign, string_agg(item, ' ' ORDER BY rank) AS items
FROM v_parameter_diff
WHERE base_model = $base_model AND tuned_model = $tuned_model AND shift_rank <= $most AND rank <= 10
GROUP BY ALL
ORDER BY shift_norm DESC, layer, component, unit, sign DESC
