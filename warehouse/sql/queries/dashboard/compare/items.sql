-- One row per measure, item and pair filter that every run of the list $runs has a number of.
SELECT measure, item, pair_filter
FROM v_run_estimate
WHERE list_contains($runs, run_id) AND value IS NOT NULL
GROUP BY ALL
HAVING count(DISTINCT run_id) = len($runs)
ORDER BY ALL
