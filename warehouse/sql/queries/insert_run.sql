-- One row: the id of the new run.
INSERT INTO run (
    run_id, model_id, corpus_id, status,
    name, fingerprint, options, method_version, lenshouse_version, torch_version, transformers_version,
    device, dtype, started_at, n_sequences, n_truncated, n_chunked, n_skipped, n_tokens, n_pairs, seconds_tokenize
)
SELECT
    nextval('run_ids'), $model_id, $corpus_id, 'running',
    $name, $fingerprint, $options, $method_version, $lenshouse_version, $torch_version,
    $transformers_version, $device, $dtype, $started_at, $n_sequences, $n_truncated, $n_chunked, $n_skipped, $n_tokens,
    $n_pairs, $seconds_tokenize
RETURNING run_id
