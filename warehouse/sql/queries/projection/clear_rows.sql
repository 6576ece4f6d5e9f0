-- The rows of a part. Parameters: model_id, layer, component, vocab_filter, ln_folded.
DELETE FROM projection
WHERE model_id = $model_id AND layer = $layer AND component = $component
    AND vocab_filter = $vocab_filter AND ln_folded = $ln_folded
