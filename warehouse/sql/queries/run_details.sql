-- One row: everything recorded of run $run_id, complete or not.
SELECT
    run.run_id, run.name AS run_name, run.status, run.fingerprint,
    model.* EXCLUDE (model_id, name, tokenizer_id), model.name AS model_name,
    tokenizer.name AS tokenizer_name, tokenizer.fingerprint AS tokenizer_fingerprint,
    corpus.* EXCLUDE (corpus_id, name, n_sequences), corpus.name AS corpus_name,
    annotation.version AS annotation_version, annotation.language AS annotation_language,
    annotation.lexicon AS annotation_lexicon, annotation.n_words,
    run.* EXCLUDE (run_id, name, status, fingerprint, model_id, corpus_id)
FROM run
JOIN model ON model.model_id = run.model_id
JOIN tokenizer ON tokenizer.tokenizer_id = model.tokenizer_id
JOIN corpus ON corpus.corpus_id = run.corpus_id
LEFT JOIN annotation ON annotation.corpus_id = run.corpus_id
WHERE run.run_id = $run_id
