-- Parameters: run_id, seconds.
UPDATE run SET seconds_load = seconds_load + $seconds WHERE run_id = $run_id
