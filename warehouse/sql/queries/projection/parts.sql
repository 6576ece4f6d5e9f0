-- One row per part of a model under a filter and a reading of LN: what is stored.
-- Parameters: model_id, vocab_filter, ln_folded.
SELECT layer, component, k, n_units, embedding_source, dtype, seconds, method_version
FROM projection_part
WHERE model_id = $model_id AND vocab_filter = $vocab_filter AND ln_folded = $ln_folded
