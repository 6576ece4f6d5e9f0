-- Parameters: family, corpus_id.
DELETE FROM finding WHERE run_id IS NULL AND family = $family AND corpus_id = $corpus_id
