-- One row per model with projections: how many parts and units it has.
SELECT model.model_id, model.name, count(*) AS n_parts, sum(projection_part.n_units)::BIGINT AS n_units
FROM projection_part
JOIN model ON model.model_id = projection_part.model_id
GROUP BY model.model_id, model.name
ORDER BY model.model_id
