-- new_rows is a frame with a row per kind, cut and draw; what all rows share comes as parameters.
INSERT INTO stitching (
    model_a, model_b, corpus_name, corpus_sha256, kind, cut, draw, accuracy, low, high, gain, gain_low, gain_high,
    n_sequences, n_classes, n_draws, method_version, seed, n_resamples
)
SELECT
    $model_a, $model_b, $corpus_name, $corpus_sha256, kind, cut, draw, accuracy, low, high, gain, gain_low, gain_high,
    $n_sequences, $n_classes, $n_draws, $method_version, $seed, $n_resamples
FROM new_rows
