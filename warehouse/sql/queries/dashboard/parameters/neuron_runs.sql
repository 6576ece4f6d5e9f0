-- One row per complete run of a model whose neurons' strongest activations are recorded. Parameter: model_id.
SELECT run_id, run_name, corpus_name
FROM v_run
WHERE model_id = $model_id AND EXISTS (SELECT 1 FROM neuron_activation WHERE neuron_activation.run_id = v_run.run_id)
ORDER BY run_id
