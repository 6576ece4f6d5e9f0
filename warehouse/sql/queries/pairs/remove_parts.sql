-- The record of a model's pairs. Parameter: model_id.
DELETE FROM pair_projection_part WHERE model_id = $model_id
