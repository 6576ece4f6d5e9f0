-- One row per effect of a pattern in a layer, the largest first, whichever its sign. Parameters: run_ids (a list; all
-- runs where it is empty), limit.
SELECT
    run_id, layer, pattern, n_pairs, effect, effect_low, effect_high, lift, p_adjusted
FROM v_pattern_effect
WHERE relation IS NULL AND effect IS NOT NULL AND (len($run_ids) = 0 OR run_id IN (SELECT unnest($run_ids)))
ORDER BY abs(effect) DESC, run_id, layer, pattern
LIMIT $limit
