-- At most $most texts of a corpus, those after one seq_id, in order. Parameters: corpus_id, after, most.
SELECT seq_id, text, source_id
FROM sequence
WHERE corpus_id = $corpus_id AND seq_id > $after
ORDER BY seq_id
LIMIT $most
