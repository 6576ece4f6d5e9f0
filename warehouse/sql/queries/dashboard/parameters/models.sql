-- One row per model of which something is known about its parameters, with what there is.
WITH aligned AS (
    SELECT model_a AS model_id FROM alignment_summary UNION SELECT model_b FROM alignment_summary
)
SELECT
    model_id, name AS model_name, family, seed, n_layer, n_head, d_ff, is_gated,
    model_id IN (SELECT model_id FROM projection_part) AS is_projected,
    model_id IN (SELECT model_id FROM pair_projection_part) AS has_pairs,
    model_id IN (FROM aligned) AS is_aligned
FROM model
ORDER BY model_id
