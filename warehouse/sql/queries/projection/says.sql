-- One row per filter and reading of LN: what units of a layer say. Parameters: model_id, layer, unit, component (NULL for
-- all that belong to the feed-forward network).
SELECT component, vocab_filter, ln_folded, highest, lowest
FROM v_neuron_says
WHERE model_id = $model_id AND layer = $layer AND unit = $unit
    AND CASE WHEN $component IS NULL THEN component IN ('ff_key', 'ff_gate', 'ff_value') ELSE component = $component END
ORDER BY component, vocab_filter, ln_folded
