-- One row: whether any model, or the one given, has projections of the layer.
SELECT count(*) > 0
FROM projection_part
WHERE layer = $layer AND ($model_id IS NULL OR model_id = $model_id)
