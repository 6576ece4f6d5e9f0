-- Vocabulary filters that no projection uses.
DELETE FROM vocab_filter
WHERE NOT EXISTS (
    SELECT 1
    FROM projection_part
    JOIN model ON model.model_id = projection_part.model_id
    WHERE model.tokenizer_id = vocab_filter.tokenizer_id AND projection_part.vocab_filter = vocab_filter.name
)
