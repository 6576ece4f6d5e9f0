-- Annotations of corpora that are gone.
DELETE FROM annotation WHERE corpus_id NOT IN (SELECT corpus_id FROM corpus)
