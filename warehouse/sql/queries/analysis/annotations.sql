-- One row per annotated corpus and tokenizer that has tokens of it: JSON text that changes whenever its words or
-- patterns do, and how many pairs are in a pattern.
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
    words.corpus_id, words.tokenizer_id,
    json_object(
        'source', annotation.source, 'version', annotation.version, 'language', annotation.language,
        'lexicon', annotation.lexicon, 'annotated_at', annotation.annotated_at,
        'n_word_tokens', words.n_word_tokens, 'n_pattern_pairs', coalesce(patterns.n_pattern_pairs, 0)
    ) AS annotation,
    coalesce(patterns.n_pattern_pairs, 0) AS n_pattern_pairs
FROM words
JOIN annotation ON annotation.corpus_id = words.corpus_id
LEFT JOIN patterns ON patterns.corpus_id = words.corpus_id AND patterns.tokenizer_id = words.tokenizer_id
