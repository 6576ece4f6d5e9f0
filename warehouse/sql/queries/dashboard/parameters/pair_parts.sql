-- One row per model, layer, head, matrix, vocabulary filter, reading of LN and choice about equal items that is stored.
SELECT
    part.model_id, model.name AS model_name, part.layer, part.head, part.matrix, part.vocab_filter, part.ln_folded,
    part.exclude_same
FROM pair_projection_part AS part
JOIN model ON model.model_id = part.model_id
ORDER BY ALL
