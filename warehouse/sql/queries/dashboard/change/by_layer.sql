-- One row per run of the list $runs, layer and component: mean change 1 - Spearman's rho, with its 95% interval.
SELECT run_id, layer, component, value, low, high, n_sequences
FROM v_change_interval
WHERE list_contains($runs, run_id) AND pair_filter = $pair_filter
ORDER BY run_id, layer, component
