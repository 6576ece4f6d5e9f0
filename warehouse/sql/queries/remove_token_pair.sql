-- Parameter: run_id.
DELETE FROM token_pair WHERE run_id = $run_id
