-- Models that no run uses.
DELETE FROM model WHERE model_id NOT IN (SELECT model_id FROM run)
