-- One row per group that has no runs but those of the list $runs, and run that counts in it.
SELECT *
FROM v_group_run
QUALIFY list_has_all($runs, list(run_id) OVER (PARTITION BY family, corpus_id))
ORDER BY family, corpus_id, run_id
