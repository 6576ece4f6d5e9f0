-- Parameter: run_id.
DELETE FROM loaded_part WHERE run_id = $run_id
