-- Annotation of corpus $corpus_id.
DELETE FROM annotation WHERE corpus_id = $corpus_id
