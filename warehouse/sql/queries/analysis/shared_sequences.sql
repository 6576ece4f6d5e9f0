-- One row per sequence that every run of the list $runs has changes of.
SELECT seq_id
FROM map_change
WHERE list_contains($runs, run_id)
GROUP BY seq_id
HAVING count(DISTINCT run_id) = len($runs)
ORDER BY seq_id
