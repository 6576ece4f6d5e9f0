-- Parameters: model_a, model_b, component.
DELETE FROM alignment_summary WHERE model_a = $model_a AND model_b = $model_b AND component = $component
