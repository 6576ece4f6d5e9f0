-- One row per run of the list $runs and layer: how much of FF's change of content pairs survives the block.
SELECT run_id, layer, 'surviving share' AS series, value, low, high
FROM v_surviving_share
WHERE list_contains($runs, run_id) AND pair_filter = 'content'
ORDER BY run_id, layer
