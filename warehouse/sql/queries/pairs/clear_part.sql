-- The record of a layer's matrix, all heads. Parameters: model_id, layer, matrix, vocab_filter, ln_folded, exclude_same.
DELETE FROM pair_projection_part
WHERE model_id = $model_id AND layer = $layer AND matrix = $matrix
    AND vocab_filter = $vocab_filter AND ln_folded = $ln_folded AND exclude_same = $exclude_same
