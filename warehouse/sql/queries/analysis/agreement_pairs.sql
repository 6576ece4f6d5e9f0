-- One row per sequence: sums over the token pairs of two positions, neither special, that both runs' attention can see.
-- x is FF-amp in the temporary table ff_amp_a, y in ff_amp; both are of one corpus and tokenizer.
SELECT
    a.seq_id, count(*)::DOUBLE AS n, sum(a.ff_amp) AS x, sum(b.ff_amp) AS y,
    sum(a.ff_amp * a.ff_amp) AS xx, sum(b.ff_amp * b.ff_amp) AS yy, sum(a.ff_amp * b.ff_amp) AS xy
FROM ff_amp_a AS a
JOIN ff_amp AS b ON b.seq_id = a.seq_id AND b.query = a.query AND b.key = a.key
GROUP BY a.seq_id
ORDER BY a.seq_id
