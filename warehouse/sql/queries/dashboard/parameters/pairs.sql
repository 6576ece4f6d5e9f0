-- One row per head and rank: a pair of items that the head's matrix scores highest.
SELECT head, rank, row_token, col_token, score, share_multiplied, vocab_filter, ln_folded, exclude_same
FROM v_pair_projection
WHERE model_id = $model_id AND layer = $layer AND matrix = $matrix AND rank <= $most
ORDER BY head, vocab_filter, ln_folded, exclude_same, rank
