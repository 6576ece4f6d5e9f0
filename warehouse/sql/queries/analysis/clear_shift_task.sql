-- Parameters: base_model_id, tuned_model_id, corpus_id.
DELETE FROM shift_task
WHERE base_model_id = $base_model_id AND tuned_model_id = $tuned_model_id AND corpus_id = $corpus_id
