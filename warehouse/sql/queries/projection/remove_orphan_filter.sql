-- Vocabulary filters that no projection uses, be it of vectors or of pairs.
DELETE FROM vocab_filter
WHERE NOT EXISTS (
    SELECT 1
    FROM (
        SELECT model_id, vocab_filter FROM projection_part
        UNION ALL
        SELECT model_id, vocab_filter FROM pair_projection_part
    ) AS part
    JOIN model ON model.model_id = part.model_id
    WHERE model.tokenizer_id = vocab_filter.tokenizer_id AND part.vocab_filter = vocab_filter.name
)
