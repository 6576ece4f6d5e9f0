-- Adds the tokens of sequences that have none yet. Parameters: tokenizer_id, corpus_id, file (token.parquet).
INSERT INTO token (tokenizer_id, corpus_id, seq_id, pos, token_id, char_start, char_end, is_special)
SELECT
    $tokenizer_id, $corpus_id, part.seq_id, part.pos, part.token_id, part.char_start, part.char_end,
    part.is_special
FROM read_parquet($file) AS part
ANTI JOIN (
    SELECT DISTINCT seq_id FROM token WHERE tokenizer_id = $tokenizer_id AND corpus_id = $corpus_id
) AS known ON known.seq_id = part.seq_id
ORDER BY part.seq_id, part.pos
