-- Parameter: run_id.
DELETE FROM inlier_change WHERE run_id = $run_id
