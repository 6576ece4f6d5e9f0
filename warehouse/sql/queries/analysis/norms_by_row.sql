-- One row per query of content (not special) of a layer: the norms of its token, and the change 1 - rho of its row of
-- the map by the feed-forward network, over the keys of content that attention can see. Rows need three such keys and
-- a rho that is defined. Ranks of equal values are their mean: twice the rank is (those before) + (those up to) + 1,
-- which is rank() + count(*) over a window that ends with the value's peers. Sums of whole numbers, so equal orders
-- give exactly 0; rounded, so that changes which are equal stay equal in rows of other lengths. Parameters: run_id, layer, corpus_id, tokenizer_id, reads_atb (true where the feed-forward network
-- reads the map atb, false where it reads after_ln).
WITH content AS (
    SELECT seq_id, pos FROM token
    WHERE corpus_id = $corpus_id AND tokenizer_id = $tokenizer_id AND NOT is_special
),
source AS (
    SELECT
        pair.seq_id, pair.query, pair.after_ff,
        CASE WHEN $reads_atb THEN pair.atb ELSE pair.after_ln END AS before_ff
    FROM token_pair AS pair
    JOIN content AS query_side ON query_side.seq_id = pair.seq_id AND query_side.pos = pair.query
    JOIN content AS key_side ON key_side.seq_id = pair.seq_id AND key_side.pos = pair.key
    WHERE pair.run_id = $run_id AND pair.layer = $layer AND pair.attn > 0
),
ranked AS (
    SELECT
        seq_id, query,
        rank() OVER by_before + count(*) OVER by_before AS before_ff,
        rank() OVER by_after + count(*) OVER by_after AS after_ff
    FROM source
    WINDOW
        by_before AS (PARTITION BY seq_id, query ORDER BY before_ff),
        by_after AS (PARTITION BY seq_id, query ORDER BY after_ff)
),
summed AS (
    SELECT
        seq_id, query,
        (count(*) * sum(before_ff * after_ff) - sum(before_ff) * sum(after_ff))::DOUBLE AS covariance,
        (count(*) * sum(before_ff * before_ff) - sum(before_ff) * sum(before_ff))::DOUBLE AS variance_before,
        (count(*) * sum(after_ff * after_ff) - sum(after_ff) * sum(after_ff))::DOUBLE AS variance_after
    FROM ranked
    GROUP BY seq_id, query
    HAVING count(*) >= 3
)
SELECT
    summed.seq_id, norm.norm_ff_out::DOUBLE AS norm_ff_out,
    round(1 - summed.covariance / sqrt(summed.variance_before * summed.variance_after), 12) AS change,
    norm.norm_attn_out::DOUBLE AS norm_attn_out
FROM summed
JOIN token_norm AS norm
    ON norm.run_id = $run_id AND norm.layer = $layer AND norm.seq_id = summed.seq_id AND norm.pos = summed.query
WHERE summed.variance_before > 0 AND summed.variance_after > 0
ORDER BY summed.seq_id, summed.query
