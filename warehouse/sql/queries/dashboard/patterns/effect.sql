-- One row per layer of run $run_id and pattern: how the feed-forward network amplifies the pattern's pairs.
SELECT
    layer, pattern, n_pairs, n_sequences, effect, effect_low, effect_high, p_value, p_adjusted, top_share, lift, lift_low,
    lift_high
FROM v_pattern_effect
WHERE run_id = $run_id AND relation IS NULL
ORDER BY pattern, layer
