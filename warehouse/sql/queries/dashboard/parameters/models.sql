-- One row per model with projections of units: its id, name, and how many parts are stored.
SELECT model.model_id, model.name AS model_name, count(*) AS n_parts
FROM projection_part
JOIN model ON model.model_id = projection_part.model_id
GROUP BY model.model_id, model.name
ORDER BY model.model_id
