-- Parameter: run_id.
DELETE FROM neuron_activation_part WHERE run_id = $run_id
