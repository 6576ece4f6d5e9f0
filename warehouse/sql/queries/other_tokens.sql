-- One row: the first sequence that the warehouse holds with other tokens than the part, or NULL.
-- Truncation at another length does this: one position then means two tokens.
WITH part AS (
    SELECT seq_id, pos, token_id FROM read_parquet($file)
),
known AS (
    SELECT seq_id, pos, token_id
    FROM token
    WHERE tokenizer_id = $tokenizer_id AND corpus_id = $corpus_id
        AND seq_id IN (SELECT seq_id FROM part)
),
shared AS (
    SELECT seq_id, pos, token_id FROM part WHERE seq_id IN (SELECT seq_id FROM known)
),
final AS (
    SELECT coalesce(shared.seq_id, known.seq_id) AS seq_id
    FROM shared
    FULL JOIN known ON known.seq_id = shared.seq_id AND known.pos = shared.pos
    WHERE known.token_id IS DISTINCT FROM shared.token_id
)
SELECT min(seq_id) AS seq_id FROM final
