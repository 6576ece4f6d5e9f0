-- One row per run of the list $runs: everything that tells how it was made, its words included.
SELECT
    v_run.*, annotation.source AS annotation_source, annotation.version AS annotation_version,
    annotation.language AS annotation_language, annotation.lexicon AS annotation_lexicon
FROM v_run
LEFT JOIN annotation ON annotation.corpus_id = v_run.corpus_id
WHERE list_contains($runs, v_run.run_id)
ORDER BY v_run.corpus_id, v_run.run_id
