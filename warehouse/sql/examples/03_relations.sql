-- Which relations, among words and their heads?
SELECT run_name, layer, relation, effect, effect_low, effect_high, n_pairs
FROM v_pattern_effect WHERE pattern = 'head_dependent' AND effect_low IS NOT NULL ORDER BY effect DESC;
