-- One row per classifier, corpus, model, kind and cut: accuracy with its interval; random matrices as their mean.
SELECT
    model_b, corpus_name, model_a, kind, cut, avg(accuracy) AS accuracy,
    CASE WHEN kind <> 'random' THEN any_value(low) END AS low, CASE WHEN kind <> 'random' THEN any_value(high) END AS high,
    count(*) AS n_draws, any_value(n_sequences) AS n_sequences
FROM v_stitching
GROUP BY model_b, corpus_name, corpus_sha256, model_a, kind, cut
ORDER BY model_b, corpus_name, model_a, kind, cut
