-- One row per item that is spelt much like a word, the likest first, of tokenizers whose models have projections.
-- Parameter: word.
WITH projected AS (
    SELECT DISTINCT model.tokenizer_id
    FROM projection_part
    JOIN model ON model.model_id = projection_part.model_id
)
SELECT vocab.display AS item
FROM vocab
SEMI JOIN projected ON projected.tokenizer_id = vocab.tokenizer_id
WHERE NOT vocab.is_special
GROUP BY vocab.display
ORDER BY jaro_winkler_similarity(lower(ltrim(vocab.display, '…')), lower($word)) DESC, vocab.display
LIMIT 12
