-- Median of the gain over chance of classifier $model_id on translated states, over all models that it was not tuned from
-- and all cuts between two layers, on the texts $corpus_sha256: of two middle ones the lower end of the lower and the
-- higher end of the higher. n counts texts.
SELECT
    median(gain) AS value, quantile_disc(gain_low, 0.5) AS low, -quantile_disc(-gain_high, 0.5) AS high,
    coalesce(min(n_sequences), 0) AS n
FROM stitching
JOIN model AS a ON a.model_id = stitching.model_a
JOIN model AS b ON b.model_id = stitching.model_b
WHERE model_b = $model_id AND corpus_sha256 = $corpus_sha256 AND kind = 'stitched'
    AND cut BETWEEN 1 AND a.n_layer - 1 AND a.name IS DISTINCT FROM b.base_model
