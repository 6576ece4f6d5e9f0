-- One row per subject that a part has results of, with what drew their random numbers. Parameter: part.
SELECT subject, fingerprint, coalesce(seed, 0) AS seed, coalesce(n_resamples, 0) AS n_resamples
FROM analysis
WHERE part = $part
