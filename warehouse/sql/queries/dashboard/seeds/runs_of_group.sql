-- One row per run of group $family over corpus $corpus_id and layer: the run's own number.
SELECT estimate.run_id, estimate.seed, estimate.layer, estimate.value
FROM v_estimate AS estimate
JOIN v_group_run AS own ON own.run_id = estimate.run_id AND own.family = $family AND own.corpus_id = $corpus_id
WHERE estimate.measure = $measure AND estimate.item = $item
    AND estimate.pair_filter IS NOT DISTINCT FROM $pair_filter
ORDER BY estimate.run_id, estimate.layer
