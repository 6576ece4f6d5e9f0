-- One row: the highest number of a sentence, and among the first hundred the one that is nearest to $length tokens.
WITH size AS (
    SELECT seq_id, count(*) AS n_tokens
    FROM token
    WHERE tokenizer_id = $tokenizer_id AND corpus_id = $corpus_id AND seq_id < 100
    GROUP BY seq_id
)
SELECT
    (SELECT max(seq_id) FROM sequence WHERE corpus_id = $corpus_id) AS last_seq_id,
    (SELECT seq_id FROM size ORDER BY abs(n_tokens - $length), seq_id LIMIT 1) AS seq_id
