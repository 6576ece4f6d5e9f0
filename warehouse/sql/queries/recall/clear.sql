-- Deletes the recall of a model on a corpus, of whatever version.
DELETE FROM recall
WHERE model_id = $model_id AND corpus_sha256 = $corpus_sha256 AND k = $k AND n_units = $n_units
