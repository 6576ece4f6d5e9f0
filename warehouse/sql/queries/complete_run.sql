-- The run appears in the views. Parameters: run_id, finished_at (UTC), seconds, max_completeness_error.
UPDATE run
SET
    status = 'complete', finished_at = $finished_at, seconds_forward = $seconds_forward,
    seconds_core = $seconds_core, seconds_write = $seconds_write,
    max_completeness_error = $max_completeness_error
WHERE run_id = $run_id
