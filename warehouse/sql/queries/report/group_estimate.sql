-- One row per number of a group that has no runs but those of the list $runs.
WITH members AS (
    SELECT family, corpus_id, list(run_id) AS run_ids FROM v_group_run GROUP BY family, corpus_id
)
SELECT v_group_estimate.*
FROM v_group_estimate
JOIN members USING (family, corpus_id)
WHERE list_has_all($runs, run_ids)
ORDER BY ALL
