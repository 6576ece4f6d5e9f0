-- One row per relative depth: group $family_b less group $family_a over corpus $corpus_id, with the 95% interval.
SELECT family_a, family_b, depth, difference, low, high, p_value, n_runs_a, n_runs_b, n_sequences
FROM v_group_difference
WHERE corpus_id = $corpus_id AND family_a = $family_a AND family_b = $family_b AND measure = $measure AND item = $item
    AND pair_filter IS NOT DISTINCT FROM $pair_filter
ORDER BY depth
