-- One row per run of the list $runs and layer: how much of the feed-forward network's change survives the block, with its
-- 95% interval.
SELECT run_id, layer, value, low, high, n_sequences
FROM v_surviving_share
WHERE list_contains($runs, run_id) AND pair_filter = $pair_filter
ORDER BY run_id, layer
