-- Parameter: run_id.
DELETE FROM run WHERE run_id = $run_id
