-- One row per component of two models that this version of the method has aligned.
SELECT DISTINCT component
FROM alignment_summary
WHERE model_a = $model_a AND model_b = $model_b AND method_version = $method_version
ORDER BY component
