-- Words of corpora that are gone.
DELETE FROM word WHERE corpus_id NOT IN (SELECT corpus_id FROM corpus)
