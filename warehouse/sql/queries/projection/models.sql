-- One row per model with projections: how many parts, units of vectors and heads' matrices read as pairs it has.
WITH part AS (
    SELECT model_id, n_units, 0 AS n_matrices FROM projection_part
    UNION ALL
    SELECT model_id, 0, 1 FROM pair_projection_part
)
SELECT
    model.model_id, model.name, count(*) AS n_parts, sum(part.n_units)::BIGINT AS n_units,
    sum(part.n_matrices)::BIGINT AS n_matrices
FROM part
JOIN model ON model.model_id = part.model_id
GROUP BY model.model_id, model.name
ORDER BY model.model_id
