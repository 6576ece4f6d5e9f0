-- Parameters: model_a, model_b, component.
DELETE FROM alignment WHERE model_a = $model_a AND model_b = $model_b AND component = $component
