-- Median over layers of the recall of model $model_id's feed-forward values on the texts $corpus_sha256, less that of
-- shuffled positions: of two middle layers the lower one's lower end and the higher one's higher end. n counts tokens.
SELECT
    coalesce(median(gain) FILTER (gain_low IS NOT NULL), median(gain)) AS value,
    quantile_disc(gain_low, 0.5) AS low, -quantile_disc(-gain_high, 0.5) AS high, coalesce(min(n_tokens), 0) AS n
FROM recall
WHERE model_id = $model_id AND corpus_sha256 = $corpus_sha256 AND component = 'ff_value'
    AND (k, n_units) = (
        SELECT (k, n_units) FROM recall
        WHERE model_id = $model_id AND corpus_sha256 = $corpus_sha256
        ORDER BY computed_at DESC, k DESC, n_units DESC LIMIT 1
    )
