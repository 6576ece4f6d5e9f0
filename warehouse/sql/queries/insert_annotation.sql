-- Parameters: corpus_id, source, version, language, lexicon, n_words, annotated_at (UTC).
INSERT INTO annotation (corpus_id, source, version, language, lexicon, n_words, annotated_at)
VALUES ($corpus_id, $source, $version, $language, $lexicon, $n_words, $annotated_at)
