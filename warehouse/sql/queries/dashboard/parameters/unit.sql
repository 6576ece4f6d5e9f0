-- One row per sign and rank: an item that a unit scores highest or lowest.
-- Parameters: model_id, layer, component, unit, vocab_filter, ln_folded, n (items of each sign).
SELECT sign, rank, token_id, display AS item, is_special, score, head
FROM v_projection
WHERE model_id = $model_id AND layer = $layer AND component = $component AND unit = $unit
    AND vocab_filter = $vocab_filter AND ln_folded = $ln_folded AND rank <= $n
ORDER BY sign DESC, rank
