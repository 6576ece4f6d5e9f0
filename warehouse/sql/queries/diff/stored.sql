-- One row where the difference of two models is there as it is asked for; none where it is not.
SELECT 1 AS is_there
FROM parameter_shift
WHERE base_model_id = $base_model_id
    AND tuned_model_id = $tuned_model_id
    AND ln_folded = $ln_folded
    AND n_largest = $n_largest
    AND top_k = $top_k
    AND vocab_filter = $vocab_filter
    AND method_version = $method_version
LIMIT 1
