-- One row per complete float32 or float64 run whose parts do not sum to the model's own states. Parameter: limit.
SELECT run_id, name, max_completeness_error
FROM run
WHERE status = 'complete' AND dtype IN ('float32', 'float64') AND max_completeness_error > $limit
ORDER BY run_id
