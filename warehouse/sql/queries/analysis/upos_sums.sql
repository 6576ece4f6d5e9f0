-- One row per sequence and parts of speech of the query's and the key's word, two different words: their pairs and the sum
-- of their FF-amp. Of the temporary table ff_amp. Parameters: corpus_id, tokenizer_id.
WITH worded AS (
    SELECT token.seq_id, token.pos, token.word_id, word.upos
    FROM token
    JOIN word
        ON word.corpus_id = token.corpus_id AND word.seq_id = token.seq_id AND word.word_id = token.word_id
    WHERE token.corpus_id = $corpus_id AND token.tokenizer_id = $tokenizer_id AND word.upos IS NOT NULL
)
SELECT
    ff_amp.seq_id, query_side.upos || '/' || key_side.upos AS item,
    count(*)::DOUBLE AS n_pairs, sum(ff_amp.ff_amp) AS sum_amp
FROM ff_amp
JOIN worded AS query_side ON query_side.seq_id = ff_amp.seq_id AND query_side.pos = ff_amp.query
JOIN worded AS key_side ON key_side.seq_id = ff_amp.seq_id AND key_side.pos = ff_amp.key
WHERE ff_amp.is_content AND query_side.word_id <> key_side.word_id
GROUP BY ff_amp.seq_id, query_side.upos, key_side.upos
ORDER BY item, ff_amp.seq_id
