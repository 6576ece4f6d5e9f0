-- Parameter: run_id.
DELETE FROM head_norm WHERE run_id = $run_id
