-- Parameter: run_id.
DELETE FROM finding WHERE run_id = $run_id
