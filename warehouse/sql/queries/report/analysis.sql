-- One row per version, seed and number of resamples that the analysis's results were made with.
SELECT
    method_version, seed, n_resamples, count(*) AS n_results, min(computed_at) AS first_at, max(computed_at) AS last_at
FROM analysis
WHERE seed IS NOT NULL
GROUP BY method_version, seed, n_resamples
ORDER BY last_at DESC
