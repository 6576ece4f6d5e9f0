-- One row per finding about the runs of the list $runs, about a group that has no other runs, or about parameters.
WITH members AS (
    SELECT family, corpus_id, list(run_id ORDER BY run_id) AS run_ids FROM v_group_run GROUP BY family, corpus_id
)
SELECT v_finding.*
FROM v_finding
LEFT JOIN members
    ON v_finding.run_id IS NULL AND members.family = v_finding.family AND members.corpus_id = v_finding.corpus_id
WHERE list_contains($runs, v_finding.run_id) OR list_has_all($runs, members.run_ids) OR claim LIKE 'P%'
ORDER BY claim LIKE 'P%', corpus_id, run_id NULLS LAST, family, claim, subject,
    list_position(['map', 'subword', 'compound', 'mwe', 'entity', 'block', 'size', 'depth', 'ff_in', 'ff_out'], aspect)
