-- Parameter: run_id.
DELETE FROM layer_dim WHERE run_id = $run_id
