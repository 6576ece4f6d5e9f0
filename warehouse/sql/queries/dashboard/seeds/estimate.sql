-- One row per layer of group $family over corpus $corpus_id: mean over its runs, with the 95% interval over seeds and
-- sequences. No pair filter where $pair_filter is NULL.
SELECT layer, mean, sd, low, high, n_runs, n_sequences
FROM v_group_estimate
WHERE corpus_id = $corpus_id AND family = $family AND measure = $measure AND item = $item
    AND pair_filter IS NOT DISTINCT FROM $pair_filter AND layer IS NOT NULL
ORDER BY layer
