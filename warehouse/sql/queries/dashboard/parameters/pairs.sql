-- One row per rank: a pair of items that a head's matrix scores highest.
-- Parameters: model_id, layer, head, matrix, vocab_filter, ln_folded, exclude_same, n (pairs).
SELECT rank, row_token, col_token, score, row_token_id, col_token_id
FROM v_pair_projection
WHERE model_id = $model_id AND layer = $layer AND head = $head AND matrix = $matrix
    AND vocab_filter = $vocab_filter AND ln_folded = $ln_folded AND exclude_same = $exclude_same AND rank <= $n
ORDER BY rank
