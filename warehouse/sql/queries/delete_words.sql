-- Words of corpus $corpus_id.
DELETE FROM word WHERE corpus_id = $corpus_id
