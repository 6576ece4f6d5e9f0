-- One row per sentence of a corpus whose text holds $search, upper and lower case alike, and that has the label, if any.
WITH found AS (
    SELECT seq_id, label, text
    FROM sequence
    WHERE corpus_id = $corpus_id AND contains(lower(text), lower($search)) AND ($label IS NULL OR label = $label)
    ORDER BY seq_id
    LIMIT $limit
),
size AS (
    SELECT seq_id, count(*) AS n_tokens
    FROM token
    WHERE tokenizer_id = $tokenizer_id AND corpus_id = $corpus_id AND seq_id IN (SELECT seq_id FROM found)
    GROUP BY seq_id
)
SELECT found.seq_id, size.n_tokens, found.label, found.text
FROM found
LEFT JOIN size ON size.seq_id = found.seq_id
ORDER BY found.seq_id
