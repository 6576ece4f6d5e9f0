-- One row per layer and matrix of a model that is stored under a filter, a reading of LN and a choice about equal items.
-- Parameters: model_id, vocab_filter, ln_folded, exclude_same.
SELECT DISTINCT layer, matrix, k, embedding_source, dtype, method_version
FROM pair_projection_part
WHERE model_id = $model_id AND vocab_filter = $vocab_filter AND ln_folded = $ln_folded
    AND exclude_same = $exclude_same
