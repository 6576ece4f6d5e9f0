-- One row per group: family, corpus, number of runs and their ids.
SELECT family, corpus_id, any_value(corpus_name) AS corpus_name, count(*) AS n_runs, list(run_id ORDER BY run_id) AS runs
FROM v_group_run
GROUP BY family, corpus_id
ORDER BY family, corpus_id
