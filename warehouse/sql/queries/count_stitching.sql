-- One row: how many rows there are of two models, texts and settings.
SELECT count(*) AS n
FROM stitching
WHERE model_a = $model_a
    AND model_b = $model_b
    AND corpus_sha256 = $corpus_sha256
    AND n_draws = $n_draws
    AND seed = $seed
    AND n_resamples = $n_resamples
    AND method_version = $method_version
