-- One row per sequence: its pairs, the sum of their FF-amp, and those among the most amplified. Of the temporary table
-- ff_amp. Parameters: threshold, any_pair (true: special tokens count too).
SELECT
    seq_id, count(*)::DOUBLE AS n_pairs, sum(ff_amp) AS sum_amp,
    (count(*) FILTER (WHERE ff_amp >= $threshold))::DOUBLE AS n_top
FROM ff_amp
WHERE is_content OR $any_pair
GROUP BY seq_id
ORDER BY seq_id
