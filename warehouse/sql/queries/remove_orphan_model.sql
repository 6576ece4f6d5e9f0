-- Models that no run uses, and that nothing was found out about without a run.
DELETE FROM model
WHERE model_id NOT IN (SELECT model_id FROM run)
    AND model_id NOT IN (SELECT model_a FROM stitching UNION ALL SELECT model_b FROM stitching)
    AND model_id NOT IN (SELECT base_model_id FROM parameter_shift UNION ALL SELECT tuned_model_id FROM parameter_shift)
