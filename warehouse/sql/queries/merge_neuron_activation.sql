-- Ranks what the shards brought, and keeps the n_most strongest of each neuron and sign. Parameters: run_id, n_most.
INSERT INTO neuron_activation (
    run_id, layer, unit, sign, rank, seq_id, pos, activation
)
WITH ranked AS (
    SELECT
        layer, unit, sign, seq_id, pos, activation,
        row_number() OVER (PARTITION BY layer, unit, sign ORDER BY abs(activation) DESC, seq_id, pos) AS rank
    FROM neuron_activation_part
    WHERE run_id = $run_id
)
SELECT $run_id, layer, unit, sign, rank, seq_id, pos, activation
FROM ranked
WHERE rank <= $n_most
ORDER BY layer, unit, sign DESC, rank
