-- One row per group of runs over corpus $corpus_id and run that counts in it.
SELECT family, n_runs, run_id, seed
FROM v_group_run
WHERE corpus_id = $corpus_id
ORDER BY n_runs DESC, family, seed, run_id
