-- One row per two runs of group $family over corpus $corpus_id and layer: how far they agree in $item.
SELECT run_a, run_b, layer_a AS layer, value
FROM v_seed_agreement
WHERE corpus_id = $corpus_id AND measure = $item AND layer_a IS NOT NULL
    AND run_a IN (SELECT run_id FROM v_group_run WHERE family = $family AND corpus_id = $corpus_id)
    AND run_b IN (SELECT run_id FROM v_group_run WHERE family = $family AND corpus_id = $corpus_id)
ORDER BY run_a, run_b, layer
