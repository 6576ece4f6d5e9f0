-- One row per relation of head_dependent pairs in layer $layer of run $run_id.
SELECT
    relation, n_pairs, n_sequences, effect, effect_low, effect_high, p_value, p_adjusted, top_share, lift, lift_low,
    lift_high
FROM v_pattern_effect
WHERE run_id = $run_id AND layer = $layer AND pattern = 'head_dependent' AND relation IS NOT NULL
ORDER BY n_pairs DESC, relation
