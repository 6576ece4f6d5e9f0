-- Parameters: part, subject, fingerprint, method_version, seed, n_resamples, seconds.
INSERT INTO analysis (part, subject, fingerprint, method_version, seed, n_resamples, seconds, computed_at)
VALUES (
    $part, $subject, $fingerprint, $method_version, $seed, $n_resamples, $seconds, now() AT TIME ZONE 'UTC'
)
