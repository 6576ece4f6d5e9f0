-- One row per parts of speech of the query's and the key's word in layer $layer of run $run_id.
SELECT query_upos, key_upos, n_pairs, n_sequences, effect, effect_low, effect_high, p_value, p_adjusted
FROM v_upos_effect
WHERE run_id = $run_id AND layer = $layer
ORDER BY query_upos, key_upos
