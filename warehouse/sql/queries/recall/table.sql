-- One row per layer and component of a model on a corpus.
SELECT layer, component, recall, low, high, shuffled, gain, gain_low, gain_high
FROM v_recall
WHERE model_id = $model_id AND corpus_sha256 = $corpus_sha256 AND k = $k AND n_units = $n_units
ORDER BY component, layer
