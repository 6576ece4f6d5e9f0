-- One row per run, complete or not.
SELECT run_id, name, fingerprint, status, n_pairs FROM run ORDER BY run_id
