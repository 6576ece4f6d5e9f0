-- What is there of two models under one reading of LN.
DELETE FROM parameter_shift
WHERE base_model_id = $base_model_id
    AND tuned_model_id = $tuned_model_id
    AND ln_folded = $ln_folded
