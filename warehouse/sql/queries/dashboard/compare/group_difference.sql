-- One row per relative depth: mean of the group $b less that of the group $a, with its interval, whichever way round
-- the pair is stored.
SELECT
    depth,
    CASE WHEN family_a = $a THEN difference ELSE -difference END AS value,
    CASE WHEN family_a = $a THEN low ELSE -high END AS low,
    CASE WHEN family_a = $a THEN high ELSE -low END AS high,
    p_value, n_sequences
FROM v_group_difference
WHERE
    corpus_id = $corpus_id AND ((family_a = $a AND family_b = $b) OR (family_a = $b AND family_b = $a))
    AND measure = $measure AND item = $item AND pair_filter IS NOT DISTINCT FROM $pair_filter
ORDER BY depth
