-- One row per run of the list $runs, measure, layer, item and pair filter: a number about a layer with its 95% interval.
SELECT run_id, 'change' AS measure, layer, component AS item, pair_filter, value, low, high, n_sequences
FROM v_change_interval
WHERE list_contains($runs, run_id)
UNION ALL
SELECT run_id, 'surviving_share', layer, 'BLOCK/FF', pair_filter, value, low, high, n_sequences
FROM v_surviving_share
WHERE list_contains($runs, run_id)
UNION ALL
SELECT run_id, 'pattern_effect', layer, pattern, NULL, effect, effect_low, effect_high, n_sequences
FROM v_pattern_effect
WHERE list_contains($runs, run_id) AND relation IS NULL
UNION ALL
SELECT run_id, 'norm_change', layer, point, NULL, rho, low, high, n_sequences
FROM v_norm_change
WHERE list_contains($runs, run_id)
UNION ALL
SELECT run_id, 'ln_weight', layer, side, NULL, rho, low, high, NULL
FROM v_ln_weight
WHERE list_contains($runs, run_id)
UNION ALL
SELECT run_id, 'mixing', layer, stage || '/' || kind, NULL, value, low, high, n_sequences
FROM v_mixing_by_kind
WHERE list_contains($runs, run_id)
ORDER BY ALL
