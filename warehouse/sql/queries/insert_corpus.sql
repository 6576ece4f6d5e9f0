-- One row: the id of the new corpus.
INSERT INTO corpus (corpus_id, name, source, sha256, license, annotation, n_sequences)
SELECT coalesce(max(corpus_id), 0) + 1, $name, $source, $sha256, $license, $annotation, $n_sequences FROM corpus
RETURNING corpus_id
