-- One row per sentence of another run that is this very text: of the same corpus, or of one that was cut elsewhere.
SELECT seq_id
FROM sequence
WHERE corpus_id = $corpus_id AND text = $text
ORDER BY seq_id <> $seq_id, seq_id
LIMIT 1
