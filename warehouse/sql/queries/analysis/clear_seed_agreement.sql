-- Parameters: run_a, run_b.
DELETE FROM seed_agreement WHERE run_a = $run_a AND run_b = $run_b
