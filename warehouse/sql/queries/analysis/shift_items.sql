-- One row per layer and item that the largest shifts of $tuned_model_id from $base_model_id read as, in either sign.
SELECT DISTINCT layer, token_id
FROM parameter_diff
WHERE base_model_id = $base_model_id AND tuned_model_id = $tuned_model_id
    AND rank <= $most AND layer > 0 AND component <> 'classifier' AND component <> 'classifier_difference'
ORDER BY layer, token_id
