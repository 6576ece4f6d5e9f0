-- One row per corpus, with its annotation where it has one and the number of its stored texts.
SELECT
    corpus.corpus_id, corpus.name, corpus.source, corpus.sha256,
    (SELECT count(*) FROM sequence WHERE sequence.corpus_id = corpus.corpus_id) AS n_sequences,
    annotation.source AS annotation_source, annotation.version, annotation.language, annotation.lexicon,
    annotation.n_words
FROM corpus
LEFT JOIN annotation ON annotation.corpus_id = corpus.corpus_id
ORDER BY corpus.corpus_id
