-- One row per group and run that counts in it.
SELECT family, corpus_id, corpus_name, ff_bias, method_version, run_id
FROM v_group_run
ORDER BY family, corpus_id, run_id
