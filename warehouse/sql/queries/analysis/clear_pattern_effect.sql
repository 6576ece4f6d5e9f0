-- Parameter: run_id.
DELETE FROM pattern_effect WHERE run_id = $run_id
