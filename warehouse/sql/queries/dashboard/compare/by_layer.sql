-- One row per run of the list $runs and layer: a number of the analysis with its 95% interval.
SELECT run_id, run_name, layer, value, low, high, n_sequences
FROM v_run_estimate
WHERE
    list_contains($runs, run_id) AND measure = $measure AND item = $item
    AND pair_filter IS NOT DISTINCT FROM $pair_filter
ORDER BY run_id, layer
