-- Parameter: run_id.
DELETE FROM seed_agreement WHERE $run_id IN (run_a, run_b)
