-- The record of a model's projections. Parameter: model_id.
DELETE FROM projection_part WHERE model_id = $model_id
