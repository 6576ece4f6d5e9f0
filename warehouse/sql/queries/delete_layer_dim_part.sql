-- Parameter: run_id.
DELETE FROM layer_dim_part WHERE run_id = $run_id
