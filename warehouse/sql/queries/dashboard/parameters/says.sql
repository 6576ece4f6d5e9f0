-- One row per sign and rank: an item that a unit scores highest or lowest.
SELECT display AS item, score, sign, rank, token_id
FROM v_projection
WHERE model_id = $model_id AND layer = $layer AND component = $component AND unit = $unit
    AND vocab_filter = $vocab_filter AND ln_folded = $ln_folded AND rank <= $most
ORDER BY sign DESC, rank
