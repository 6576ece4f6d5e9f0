-- One row per corpus that has pairs without patterns: those of a tokenizer whose runs are older than patterns are.
SELECT DISTINCT token.corpus_id, corpus.name
FROM token
JOIN corpus ON corpus.corpus_id = token.corpus_id
ANTI JOIN pair_pattern
    ON pair_pattern.corpus_id = token.corpus_id AND pair_pattern.tokenizer_id = token.tokenizer_id
WHERE token.pos > 0
ORDER BY token.corpus_id
