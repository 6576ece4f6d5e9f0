-- Gives every token of a corpus under one tokenizer its word, or NULL. Parameters: corpus_id, tokenizer_id.
-- A token belongs to the word whose span holds all of its characters that are no white space: GPT-2's tokens begin
-- with the space before them. Pieces of one character share its offsets, and so its word. Spans of words are disjoint,
-- or the same (words of one multiword token): then the first of them has the tokens.
UPDATE token
SET word_id = located.word_id
FROM (
    WITH source AS (
        SELECT
            token.seq_id, token.pos, token.char_start, token.char_end,
            substring(sequence.text, token.char_start + 1, token.char_end - token.char_start) AS piece
        FROM token
        JOIN sequence ON sequence.corpus_id = token.corpus_id AND sequence.seq_id = token.seq_id
        WHERE token.tokenizer_id = $tokenizer_id AND token.corpus_id = $corpus_id AND NOT token.is_special
    ),
    trimmed AS (
        SELECT
            seq_id, pos,
            char_start + length(regexp_extract(piece, '^[\s\p{Z}\x{85}\x0b\x1c-\x1f]*')) AS char_start,
            char_end - length(regexp_extract(piece, '[\s\p{Z}\x{85}\x0b\x1c-\x1f]*$')) AS char_end
        FROM source
    ),
    span AS (
        SELECT seq_id, char_start, char_end, min(word_id) AS word_id
        FROM word
        WHERE corpus_id = $corpus_id
        GROUP BY seq_id, char_start, char_end
    ),
    held AS (
        SELECT trimmed.seq_id, trimmed.pos, span.word_id
        FROM trimmed
        ASOF JOIN span ON span.seq_id = trimmed.seq_id AND span.char_start < trimmed.char_end
        WHERE trimmed.char_start < trimmed.char_end
            AND span.char_start <= trimmed.char_start AND span.char_end >= trimmed.char_end
    )
    SELECT token.seq_id, token.pos, held.word_id
    FROM token
    LEFT JOIN held ON held.seq_id = token.seq_id AND held.pos = token.pos
    WHERE token.tokenizer_id = $tokenizer_id AND token.corpus_id = $corpus_id
) AS located
WHERE token.tokenizer_id = $tokenizer_id AND token.corpus_id = $corpus_id
    AND token.seq_id = located.seq_id AND token.pos = located.pos
    AND token.word_id IS DISTINCT FROM located.word_id
