-- One row per layer, component, vocabulary filter and reading of LN of model $model_id that is projected.
SELECT layer, component, vocab_filter, ln_folded, k, n_units, embedding_source
FROM projection_part
WHERE model_id = $model_id
ORDER BY layer, component, vocab_filter, ln_folded
