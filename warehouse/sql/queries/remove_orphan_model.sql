-- Models that no run, no projection and no alignment uses.
DELETE FROM model
WHERE model_id NOT IN (SELECT model_id FROM run)
    AND model_id NOT IN (SELECT model_id FROM projection_part)
    AND model_id NOT IN (SELECT model_id FROM pair_projection_part)
    AND model_id NOT IN (SELECT model_a FROM alignment_summary)
    AND model_id NOT IN (SELECT model_b FROM alignment_summary)
