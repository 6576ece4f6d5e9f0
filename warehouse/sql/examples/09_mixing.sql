-- Which kinds of words take more from others?
SELECT run_name, layer, kind, value, low, high
FROM v_mixing_by_kind WHERE stage = 'atb' AND kind LIKE 'upos:%' ORDER BY run_name, layer, value DESC;
