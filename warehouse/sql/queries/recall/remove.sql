-- Deletes all recall of a model.
DELETE FROM recall WHERE model_id = $model_id
