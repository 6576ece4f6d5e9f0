-- One row per two complete runs over one corpus, the lower id first, with what decides whether and how they meet.
SELECT
    a.run_id AS run_a, b.run_id AS run_b, a.run_name AS name_a, b.run_name AS name_b,
    a.fingerprint AS fingerprint_a, b.fingerprint AS fingerprint_b,
    a.n_layer AS n_layer_a, b.n_layer AS n_layer_b, a.tokenizer_id = b.tokenizer_id AS same_tokenizer,
    a.weights_sha256 IS NOT DISTINCT FROM b.weights_sha256 AND a.model_id = b.model_id
        OR a.weights_sha256 = b.weights_sha256 AS same_weights,
    coalesce(a.options->>'ff_bias', 'path') AS ff_bias_a, coalesce(b.options->>'ff_bias', 'path') AS ff_bias_b,
    a.method_version AS method_a, b.method_version AS method_b,
    annotation.source || ' ' || annotation.version || ' ' || annotation.annotated_at AS annotation
FROM v_run AS a
JOIN v_run AS b ON b.corpus_id = a.corpus_id AND b.run_id > a.run_id
LEFT JOIN annotation ON annotation.corpus_id = a.corpus_id
ORDER BY run_a, run_b
