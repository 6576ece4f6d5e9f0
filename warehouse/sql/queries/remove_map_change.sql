-- Parameter: run_id.
DELETE FROM map_change WHERE run_id = $run_id
