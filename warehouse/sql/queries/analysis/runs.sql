-- One row per complete run: what its analysis depends on, its words included. n_word_tokens and n_pattern_pairs tell
-- whether its own tokenizer's tokens have been matched with the annotation.
WITH words AS (
    SELECT corpus_id, tokenizer_id, count(word_id) AS n_word_tokens
    FROM token
    GROUP BY corpus_id, tokenizer_id
),
patterns AS (
    SELECT corpus_id, tokenizer_id, count(*) AS n_pattern_pairs
    FROM pair_pattern
    GROUP BY corpus_id, tokenizer_id
)
SELECT
    v_run.run_id, v_run.run_name, v_run.fingerprint, v_run.corpus_id, v_run.tokenizer_id, v_run.placement,
    v_run.n_layer, v_run.n_sequences,
    CASE WHEN annotation.corpus_id IS NOT NULL THEN json_object(
        'source', annotation.source, 'version', annotation.version, 'language', annotation.language,
        'lexicon', annotation.lexicon, 'annotated_at', annotation.annotated_at,
        'n_word_tokens', coalesce(words.n_word_tokens, 0), 'n_pattern_pairs', coalesce(patterns.n_pattern_pairs, 0)
    ) END AS annotation,
    coalesce(patterns.n_pattern_pairs, 0) AS n_pattern_pairs
FROM v_run
LEFT JOIN annotation ON annotation.corpus_id = v_run.corpus_id
LEFT JOIN words ON words.corpus_id = v_run.corpus_id AND words.tokenizer_id = v_run.tokenizer_id
LEFT JOIN patterns ON patterns.corpus_id = v_run.corpus_id AND patterns.tokenizer_id = v_run.tokenizer_id
ORDER BY v_run.run_id
