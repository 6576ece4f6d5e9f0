-- One row per run of model $model_id, sign and rank: a token on which a neuron is strongest, and its sentence.
SELECT v_neuron_activation.run_name, sign, rank, activation, token, text, seq_id, pos
FROM v_neuron_activation
WHERE run_id IN (SELECT run_id FROM run WHERE model_id = $model_id) AND layer = $layer AND unit = $unit
ORDER BY run_name, sign DESC, rank
