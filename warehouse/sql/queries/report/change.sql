-- One row per run of the list $runs, layer and component: the change of content pairs.
SELECT run_id, layer, component AS series, value, low, high
FROM v_change_interval
WHERE list_contains($runs, run_id) AND pair_filter = 'content'
ORDER BY run_id, layer, series
