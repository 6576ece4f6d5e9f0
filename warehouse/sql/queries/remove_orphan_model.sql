-- Models that no run, no projection and no recall uses.
DELETE FROM model
WHERE
    model_id NOT IN (SELECT model_id FROM run)
    AND model_id NOT IN (SELECT model_id FROM projection_part)
    AND model_id NOT IN (SELECT model_id FROM recall)
