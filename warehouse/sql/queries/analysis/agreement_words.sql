-- One row per sequence: sums over the pairs of two words that both runs' attention can see, whatever their tokenizers.
-- x is FF-amp in layer $layer_a of run $run_a, y in layer $layer_b of run $run_b; both have one corpus.
WITH a AS (
    SELECT seq_id, query_word_id, key_word_id, ff_amp AS x
    FROM v_word_pair
    WHERE run_id = $run_a AND layer = $layer_a AND query_word_id <> key_word_id AND attn > 0
),
b AS (
    SELECT seq_id, query_word_id, key_word_id, ff_amp AS y
    FROM v_word_pair
    WHERE run_id = $run_b AND layer = $layer_b AND query_word_id <> key_word_id AND attn > 0
)
SELECT
    a.seq_id, count(*)::DOUBLE AS n, sum(x) AS x, sum(y) AS y, sum(x * x) AS xx, sum(y * y) AS yy, sum(x * y) AS xy
FROM a
JOIN b ON b.seq_id = a.seq_id AND b.query_word_id = a.query_word_id AND b.key_word_id = a.key_word_id
WHERE x IS NOT NULL AND y IS NOT NULL
GROUP BY a.seq_id
ORDER BY a.seq_id
