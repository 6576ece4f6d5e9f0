-- Median over layers of shift_task of model $model_id, tuned from $other_model_id, over corpus $corpus_id: of two middle
-- layers the lower one's lower end and the higher one's higher end, as in median_of_run. n is the fewest items of a layer.
SELECT
    coalesce(median(value) FILTER (low IS NOT NULL), median(value)) AS value,
    quantile_disc(low, 0.5) AS low, -quantile_disc(-high, 0.5) AS high, coalesce(min(n_items), 0) AS n
FROM shift_task
WHERE tuned_model_id = $model_id AND base_model_id = $other_model_id AND corpus_id = $corpus_id
