-- One row per row and column of a map: the tokens of a sentence, or its words that have a token.
WITH piece AS (
    SELECT token.pos, token.token_id, token.is_special, token.word_id, vocab.display, word.form
    FROM token
    LEFT JOIN vocab ON vocab.tokenizer_id = token.tokenizer_id AND vocab.token_id = token.token_id
    LEFT JOIN word
        ON word.corpus_id = token.corpus_id AND word.seq_id = token.seq_id AND word.word_id = token.word_id
    WHERE token.tokenizer_id = $tokenizer_id AND token.corpus_id = $corpus_id AND token.seq_id = $seq_id
)
SELECT pos::INTEGER AS position, display AS text, is_special, token_id
FROM piece
WHERE $unit = 'token'
UNION ALL
SELECT DISTINCT word_id AS position, form AS text, false AS is_special, NULL AS token_id
FROM piece
WHERE $unit = 'word' AND word_id IS NOT NULL
ORDER BY position
