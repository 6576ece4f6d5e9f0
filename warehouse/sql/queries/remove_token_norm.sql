-- Parameter: run_id.
DELETE FROM token_norm WHERE run_id = $run_id
