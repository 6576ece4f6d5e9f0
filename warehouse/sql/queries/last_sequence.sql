-- One row: the last seq_id of corpus $corpus_id, NULL where it has none.
SELECT max(seq_id) FROM sequence WHERE corpus_id = $corpus_id
