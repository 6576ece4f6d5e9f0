-- One row per corpus and kind of rows that do not fit its words and tokens: how many there are.
WITH last_token AS (
    SELECT corpus_id, tokenizer_id, seq_id, max(pos) AS pos FROM token GROUP BY corpus_id, tokenizer_id, seq_id
),
found AS (
    SELECT pair_pattern.corpus_id, 'pair patterns beyond the tokens' AS what, count(*) AS n_wrong
    FROM pair_pattern
    LEFT JOIN last_token
        ON last_token.corpus_id = pair_pattern.corpus_id AND last_token.tokenizer_id = pair_pattern.tokenizer_id
        AND last_token.seq_id = pair_pattern.seq_id
    WHERE last_token.pos IS NULL OR greatest(pair_pattern.query, pair_pattern.key) > last_token.pos
    GROUP BY pair_pattern.corpus_id
    UNION ALL
    SELECT token.corpus_id, 'tokens of words that are not there', count(*)
    FROM token
    ANTI JOIN word
        ON word.corpus_id = token.corpus_id AND word.seq_id = token.seq_id AND word.word_id = token.word_id
    WHERE token.word_id IS NOT NULL
    GROUP BY token.corpus_id
    UNION ALL
    SELECT annotation.corpus_id, 'words missing or too many', abs(annotation.n_words - count(word.word_id))
    FROM annotation
    LEFT JOIN word ON word.corpus_id = annotation.corpus_id
    GROUP BY annotation.corpus_id, annotation.n_words
)
SELECT found.corpus_id, corpus.name, found.what, found.n_wrong
FROM found
JOIN corpus ON corpus.corpus_id = found.corpus_id
WHERE found.n_wrong > 0
ORDER BY found.corpus_id, found.what
