-- One row per group of the list $families over a corpus, measure, layer, item and pair filter: mean over seeds.
SELECT family, measure, layer, item, pair_filter, mean AS value, low, high, sd, n_runs, n_sequences
FROM v_group_estimate
WHERE corpus_id = $corpus_id AND list_contains($families, family) AND measure <> 'agreement'
ORDER BY ALL
