-- One row: a sentence.
SELECT seq_id, text, label, source_id
FROM sequence
WHERE corpus_id = $corpus_id AND seq_id = $seq_id
