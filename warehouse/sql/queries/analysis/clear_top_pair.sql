-- Parameter: run_id.
DELETE FROM top_pair WHERE run_id = $run_id
