-- One row per two runs over corpus $corpus_id and layer: how far they agree in $measure, with its 95% interval. Layers are
-- those of run_a; run_b's stand at the same relative depth. No layer where all count together.
SELECT
    run_a, model_a, family_a, run_b, model_b, family_b, layer_a, layer_b, value, low, high, n, n_sequences
FROM v_seed_agreement
WHERE corpus_id = $corpus_id AND measure = $measure
ORDER BY run_a, run_b, layer_a
