-- Parameters: run_id, shard, rows.
INSERT INTO loaded_part (run_id, shard, loaded_at, rows)
VALUES ($run_id, $shard, now() AT TIME ZONE 'UTC', $rows)
