-- One row per measure in which runs over corpus $corpus_id are compared: how many pairs of runs.
SELECT measure, count(DISTINCT (run_a, run_b)) AS n_pairs
FROM v_seed_agreement
WHERE corpus_id = $corpus_id
GROUP BY measure
ORDER BY list_position(['ff_amp', 'ff_amp_words', 'pattern_profile', 'change_curve'], measure)
