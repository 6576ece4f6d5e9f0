-- Parameters: family, corpus_id.
DELETE FROM group_estimate WHERE family = $family AND corpus_id = $corpus_id
