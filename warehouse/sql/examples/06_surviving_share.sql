-- How much of the feed-forward network's change is left after the block?
SELECT run_name, layer, value, low, high FROM v_surviving_share WHERE pair_filter = 'content' ORDER BY run_name, layer;
