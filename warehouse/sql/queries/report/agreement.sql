-- One row per two runs of the list $runs, measure and layer: how far they agree.
SELECT *
FROM v_seed_agreement
WHERE list_contains($runs, run_a) AND list_contains($runs, run_b)
ORDER BY corpus_id, measure, run_a, run_b, layer_a
