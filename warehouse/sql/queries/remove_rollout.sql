-- Parameter: run_id.
DELETE FROM rollout WHERE run_id = $run_id
