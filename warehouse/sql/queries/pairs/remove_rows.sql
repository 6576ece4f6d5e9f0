-- The pairs of a model. Parameter: model_id.
DELETE FROM pair_projection WHERE model_id = $model_id
