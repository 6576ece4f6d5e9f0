-- Two rows per run of the list $runs and layer: how the FF output's norm goes with the change of a row, and the same
-- with the attention output's norm held.
SELECT run_id, layer, 'rho' AS series, rho AS value, low, high
FROM v_norm_change
WHERE list_contains($runs, run_id) AND point = 'row'
UNION ALL
SELECT run_id, layer, 'attention norm held', partial_rho, partial_low, partial_high
FROM v_norm_change
WHERE list_contains($runs, run_id) AND point = 'row'
ORDER BY run_id, layer, series
