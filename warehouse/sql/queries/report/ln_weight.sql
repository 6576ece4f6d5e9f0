-- One row per run of the list $runs, layer and side of FF: how LN weights go with the size of what it reads and writes.
SELECT run_id, layer, CASE side WHEN 'ff_in' THEN 'FF input' ELSE 'FF output' END AS series, rho AS value, low, high
FROM v_ln_weight
WHERE list_contains($runs, run_id)
ORDER BY run_id, layer, series
