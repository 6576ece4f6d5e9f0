-- Parameter: run_id.
DELETE FROM neuron_activation WHERE run_id = $run_id
