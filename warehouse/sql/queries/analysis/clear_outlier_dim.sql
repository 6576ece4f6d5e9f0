-- Parameter: run_id.
DELETE FROM outlier_dim WHERE run_id = $run_id
