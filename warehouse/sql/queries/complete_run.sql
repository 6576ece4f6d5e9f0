-- The run appears in the views. Parameters: run_id, finished_at (UTC), seconds, max_completeness_error.
UPDATE run
SET
    status = 'complete', finished_at = $finished_at, seconds_forward = $seconds_forward,
    seconds_core = $seconds_core, seconds_write = $seconds_write,
    max_completeness_error = $max_completeness_error,
    n_neuron_rows = (SELECT count(*) FROM neuron_activation WHERE neuron_activation.run_id = $run_id)
WHERE run_id = $run_id
