-- One row: the run with this fingerprint, if it is known.
SELECT run_id, name, fingerprint, status, n_pairs FROM run WHERE fingerprint = $fingerprint
