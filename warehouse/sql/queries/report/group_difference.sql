-- One row per difference of two groups that have no runs but those of the list $runs.
WITH members AS (
    SELECT family, corpus_id, list(run_id) AS run_ids FROM v_group_run GROUP BY family, corpus_id
)
SELECT v_group_difference.*
FROM v_group_difference
JOIN members AS a ON a.family = v_group_difference.family_a AND a.corpus_id = v_group_difference.corpus_id
JOIN members AS b ON b.family = v_group_difference.family_b AND b.corpus_id = v_group_difference.corpus_id
WHERE list_has_all($runs, a.run_ids) AND list_has_all($runs, b.run_ids)
ORDER BY ALL
