-- Models that no run and no projection uses.
DELETE FROM model
WHERE model_id NOT IN (SELECT model_id FROM run) AND model_id NOT IN (SELECT model_id FROM projection_part)
