-- Texts of corpora that are gone.
DELETE FROM sequence WHERE corpus_id NOT IN (SELECT corpus_id FROM corpus)
