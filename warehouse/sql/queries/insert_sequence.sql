-- Adds the sequences that the corpus does not have yet. Parameters: corpus_id, file (sequence.parquet).
INSERT INTO sequence (corpus_id, seq_id, text, label, source_id)
SELECT $corpus_id, part.seq_id, part.text, part.label, part.source_id
FROM read_parquet($file) AS part
ANTI JOIN (SELECT seq_id FROM sequence WHERE corpus_id = $corpus_id) AS known ON known.seq_id = part.seq_id
ORDER BY part.seq_id
