-- The model, where its recall on a corpus is stored: all rows of a set are written together.
SELECT DISTINCT model_id
FROM recall
WHERE
    model_id = $model_id AND corpus_sha256 = $corpus_sha256 AND k = $k AND n_units = $n_units
    AND dtype = $dtype AND method_version = $method_version AND seed = $seed AND n_resamples = $n_resamples
