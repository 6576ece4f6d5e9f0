-- What is there of two models and texts, whatever the settings.
DELETE FROM stitching
WHERE model_a = $model_a
    AND model_b = $model_b
    AND corpus_sha256 = $corpus_sha256
