-- The projections of a model. Parameter: model_id.
DELETE FROM projection WHERE model_id = $model_id
