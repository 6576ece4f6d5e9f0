-- Which linguistic patterns does the feed-forward network amplify, and in which layers?
SELECT run_name, layer, pattern, effect, effect_low, effect_high, p_adjusted
FROM v_pattern_effect WHERE relation IS NULL AND p_adjusted < 0.05 ORDER BY effect DESC;
