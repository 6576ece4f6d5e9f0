-- One row per loaded shard of the run with this fingerprint.
SELECT loaded_part.shard
FROM loaded_part
JOIN run ON run.run_id = loaded_part.run_id
WHERE run.fingerprint = $fingerprint
