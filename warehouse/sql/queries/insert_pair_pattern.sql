-- Adds the patterns of the token pairs of some sequences, every pair in both directions and never a token with itself.
-- Parameters: corpus_id, tokenizer_id, first_seq, last_seq (both included).
INSERT INTO pair_pattern (corpus_id, tokenizer_id, seq_id, query, key, pattern, relation, query_is_head)
WITH piece AS (
    SELECT
        token.seq_id, token.pos, token.token_id, token.is_special,
        word.word_id, word.lemma, word.deprel, word.head_word_id, word.entity, word.entity_id, word.mwe, word.mwe_id,
        coalesce(
            CASE WHEN word.upos IS NULL THEN regexp_full_match(word.form, '\p{P}+') ELSE word.upos = 'PUNCT' END,
            false
        ) AS is_punct
    FROM token
    LEFT JOIN word
        ON word.corpus_id = token.corpus_id AND word.seq_id = token.seq_id AND word.word_id = token.word_id
    WHERE token.tokenizer_id = $tokenizer_id AND token.corpus_id = $corpus_id
        AND token.seq_id BETWEEN $first_seq AND $last_seq
),
subword AS (
    SELECT q.seq_id, q.pos AS query, k.pos AS key, 'subword' AS pattern, NULL AS relation, NULL AS query_is_head
    FROM piece AS q
    JOIN piece AS k ON k.seq_id = q.seq_id AND k.word_id = q.word_id AND k.pos <> q.pos
),
dependency AS (
    SELECT dependent.seq_id, dependent.pos AS dependent, head.pos AS head, dependent.deprel
    FROM piece AS dependent
    JOIN piece AS head
        ON head.seq_id = dependent.seq_id AND head.word_id = dependent.head_word_id
        AND head.word_id <> dependent.word_id
),
directed AS (
    SELECT seq_id, dependent AS query, head AS key, deprel AS relation, false AS query_is_head FROM dependency
    UNION ALL
    SELECT seq_id, head, dependent, deprel, true FROM dependency
),
expression AS (
    SELECT q.seq_id, q.pos, k.pos, 'mwe', q.mwe, NULL
    FROM piece AS q
    JOIN piece AS k ON k.seq_id = q.seq_id AND k.mwe_id = q.mwe_id AND k.word_id <> q.word_id
),
entity AS (
    SELECT q.seq_id, q.pos, k.pos, 'entity', q.entity, NULL
    FROM piece AS q
    JOIN piece AS k ON k.seq_id = q.seq_id AND k.entity_id = q.entity_id AND k.word_id <> q.word_id
),
same_token AS (
    SELECT q.seq_id, q.pos, k.pos, 'same_token', NULL, NULL
    FROM piece AS q
    JOIN piece AS k ON k.seq_id = q.seq_id AND k.token_id = q.token_id AND k.pos <> q.pos
    WHERE NOT q.is_special AND NOT k.is_special
),
same_lemma AS (
    SELECT q.seq_id, q.pos, k.pos, 'same_lemma', NULL, NULL
    FROM piece AS q
    JOIN piece AS k ON k.seq_id = q.seq_id AND k.lemma = q.lemma AND k.word_id <> q.word_id
    WHERE NOT q.is_punct AND NOT k.is_punct
),
adjacent AS (
    SELECT q.seq_id, q.pos, k.pos, 'adjacent', NULL, NULL
    FROM piece AS q
    JOIN (SELECT unnest([-1, 1]) AS step) AS side ON true
    JOIN piece AS k ON k.seq_id = q.seq_id AND k.pos = q.pos + side.step
    WHERE NOT q.is_special AND NOT k.is_special
),
either AS (  -- what marks a pair when one of the two has it, and which tokens the other may be
    SELECT seq_id, pos, 'punct' AS pattern, is_punct AS has_it FROM piece WHERE NOT is_special
    UNION ALL
    SELECT seq_id, pos, 'special', is_special FROM piece
),
one_of_two AS (
    SELECT q.seq_id, q.pos, k.pos, q.pattern, NULL, NULL
    FROM either AS q
    JOIN either AS k ON k.seq_id = q.seq_id AND k.pattern = q.pattern AND k.pos <> q.pos
    WHERE q.has_it
    UNION ALL
    SELECT q.seq_id, q.pos, k.pos, q.pattern, NULL, NULL
    FROM either AS k
    JOIN either AS q ON q.seq_id = k.seq_id AND q.pattern = k.pattern AND q.pos <> k.pos
    WHERE k.has_it AND NOT q.has_it
),
final AS (
    SELECT * FROM subword
    UNION ALL
    SELECT seq_id, query, key, 'head_dependent', relation, query_is_head FROM directed
    UNION ALL
    SELECT seq_id, query, key, 'compound', relation, query_is_head FROM directed
    WHERE relation = 'compound' OR starts_with(relation, 'compound:')
    UNION ALL
    SELECT * FROM expression
    UNION ALL
    SELECT * FROM entity
    UNION ALL
    SELECT * FROM same_token
    UNION ALL
    SELECT * FROM same_lemma
    UNION ALL
    SELECT * FROM adjacent
    UNION ALL
    SELECT * FROM one_of_two
)
SELECT $corpus_id, $tokenizer_id, seq_id, query, key, pattern, relation, query_is_head
FROM final
ORDER BY seq_id, query, key, pattern
