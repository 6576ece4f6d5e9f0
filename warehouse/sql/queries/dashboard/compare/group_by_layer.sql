-- One row per group of the list $families over a corpus and layer: mean over seeds with its 95% interval.
SELECT family, corpus_name, layer, mean AS value, low, high, sd, n_runs, n_sequences
FROM v_group_estimate
WHERE
    corpus_id = $corpus_id AND list_contains($families, family) AND measure = $measure AND item = $item
    AND pair_filter IS NOT DISTINCT FROM $pair_filter
ORDER BY family, layer
