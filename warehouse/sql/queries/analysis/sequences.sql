-- One row per sequence of a run. Parameter: run_id.
SELECT DISTINCT seq_id FROM map_change WHERE run_id = $run_id ORDER BY seq_id
