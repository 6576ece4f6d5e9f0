-- One row per layer, component, vocabulary filter and reading of LN of a model: which units are stored.
-- Parameter: model_id.
SELECT layer, component, vocab_filter, ln_folded, k, n_units
FROM projection_part
WHERE model_id = $model_id
ORDER BY component, layer, vocab_filter, ln_folded
