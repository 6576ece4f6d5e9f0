-- One row: the corpus with this content, if it is known.
SELECT corpus_id FROM corpus WHERE sha256 = $sha256
