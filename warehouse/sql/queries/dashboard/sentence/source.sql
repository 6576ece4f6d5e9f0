-- One row: where the model of a run was loaded from, NULL where the run does not say, and what else its numbers follow.
SELECT
    options->>'model' AS source, model_name, revision, family, seed, dtype,
    coalesce(options->>'ff_bias', 'path') AS ff_bias, (options->>'max_tokens')::INTEGER AS max_tokens, corpus_annotation
FROM v_run
WHERE run_id = $run_id
