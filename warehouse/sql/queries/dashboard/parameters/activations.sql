-- One row per sign and rank: a token of a run's corpus on which a neuron is strongest, in its sentence.
-- Parameters: run_id, layer, unit.
SELECT sign, rank, activation, token, seq_id, pos, char_start, char_end, text
FROM v_neuron_activation
WHERE run_id = $run_id AND layer = $layer AND unit = $unit
ORDER BY sign DESC, rank
