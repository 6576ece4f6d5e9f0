-- Parameter: run_id.
DELETE FROM head_pair WHERE run_id = $run_id
