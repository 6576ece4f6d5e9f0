-- Models that no run uses, and of which nothing is known without a run.
WITH used AS (
    SELECT model_id FROM run
    UNION ALL
    SELECT model_id FROM projection_part
    UNION ALL
    SELECT model_id FROM pair_projection_part
    UNION ALL
    SELECT model_id FROM recall
    UNION ALL
    SELECT unnest([model_a, model_b]) FROM alignment
    UNION ALL
    SELECT unnest([model_a, model_b]) FROM stitching
    UNION ALL
    SELECT unnest([base_model_id, tuned_model_id]) FROM parameter_shift
)
DELETE FROM model WHERE model_id NOT IN (SELECT model_id FROM used)
