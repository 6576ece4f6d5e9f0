-- One row per model, kind, cut and draw: the accuracy of a classifier's last layers on the model's first ones.
-- Parameters: model_id_b, corpus_name, corpus_sha256.
SELECT model_id_a, model_a, is_base, kind, cut, n_layer, draw, accuracy, low, high, n_sequences
FROM v_stitching
WHERE model_id_b = $model_id_b AND corpus_name = $corpus_name AND corpus_sha256 = $corpus_sha256
ORDER BY model_id_a, kind, cut, draw
