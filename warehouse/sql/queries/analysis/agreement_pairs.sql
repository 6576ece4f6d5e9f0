-- One row per sequence: sums over the token pairs of two positions, neither special, that both runs' attention can see.
-- x is FF-amp in layer $layer_a of run $run_a, y in layer $layer_b of run $run_b; both have one corpus and tokenizer.
WITH a AS (
    SELECT seq_id, query, key, after_ff_share - before_ff_share AS x
    FROM v_token_pair
    WHERE run_id = $run_a AND layer = $layer_a
        AND query <> key AND attn > 0 AND NOT query_is_special AND NOT key_is_special
),
b AS (
    SELECT seq_id, query, key, after_ff_share - before_ff_share AS y
    FROM v_token_pair
    WHERE run_id = $run_b AND layer = $layer_b
        AND query <> key AND attn > 0 AND NOT query_is_special AND NOT key_is_special
)
SELECT
    a.seq_id, count(*)::DOUBLE AS n, sum(x) AS x, sum(y) AS y, sum(x * x) AS xx, sum(y * y) AS yy, sum(x * y) AS xy
FROM a
JOIN b ON b.seq_id = a.seq_id AND b.query = a.query AND b.key = a.key
WHERE x IS NOT NULL AND y IS NOT NULL
GROUP BY a.seq_id
ORDER BY a.seq_id
