-- One row per corpus: where its text and its words come from, and how many of its texts are stored.
SELECT
    corpus.corpus_id, corpus.name AS corpus_name, corpus.source, corpus.license,
    (SELECT count(*) FROM sequence WHERE sequence.corpus_id = corpus.corpus_id) AS n_texts,
    annotation.source AS annotation, annotation.version AS annotation_version, annotation.language, annotation.n_words,
    (SELECT count(*) FROM run WHERE run.corpus_id = corpus.corpus_id) AS n_runs, corpus.sha256
FROM corpus
LEFT JOIN annotation ON annotation.corpus_id = corpus.corpus_id
ORDER BY corpus.corpus_id
