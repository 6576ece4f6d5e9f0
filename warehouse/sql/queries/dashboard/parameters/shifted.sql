-- One row per base model, tuned model and reading of LN whose shifts are stored.
SELECT DISTINCT base_model_id, base_model, tuned_model_id, tuned_model, ln_folded
FROM v_parameter_shift
ORDER BY ALL
