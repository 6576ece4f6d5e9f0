-- One row per kind and cut: accuracy over some models on one classifier and corpus, the plain ones first.
-- Parameters: corpus_sha256, model_b (a name), models_a (names).
SELECT
    kind, cut, round(avg(accuracy), 3) AS accuracy, round(min(accuracy), 3) AS least, round(max(accuracy), 3) AS most,
    round(avg(gain), 3) AS gain, count(*) FILTER (gain_low > 0) AS n_above_chance, count(*) AS n
FROM v_stitching
WHERE corpus_sha256 = $corpus_sha256
    AND model_b = $model_b
    AND list_contains($models_a, model_a)
GROUP BY kind, cut
ORDER BY list_position(['chance', 'classifier', 'stitched', 'identity', 'random'], kind), cut
