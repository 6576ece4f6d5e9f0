-- Moves into neuron_activation_part what one shard's neuron_activation.parquet adds to the run's strongest.
-- Parameters: run_id, file, n_most. What n_most rows of the shards before exceed is left out: the table stays small, and
-- since ties go in, what is merged in the end does not depend on the order in which shards came.
INSERT INTO neuron_activation_part (
    run_id,
    layer, unit, sign, seq_id, pos, activation
)
WITH held AS (
    SELECT layer, unit, sign, list_min(max(abs(activation), $n_most)) AS weakest
    FROM neuron_activation_part
    WHERE run_id = $run_id
    GROUP BY layer, unit, sign
    HAVING count(*) >= $n_most
)
SELECT
    $run_id,
    shard.layer, shard.unit, shard.sign, shard.seq_id, shard.pos, shard.activation
FROM read_parquet($file) AS shard
LEFT JOIN held ON held.layer = shard.layer AND held.unit = shard.unit AND held.sign = shard.sign
WHERE held.weakest IS NULL OR abs(shard.activation) >= held.weakest
