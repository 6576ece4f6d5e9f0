-- One row per word and vocabulary item that it names, of tokenizers whose models have projections: the item that is
-- displayed so or, where a tokenizer has none, the one whose own spelling it is. Parameter: words.
WITH word AS (
    SELECT unnest($words) AS word
),
projected AS (
    SELECT DISTINCT model.tokenizer_id
    FROM projection_part
    JOIN model ON model.model_id = projection_part.model_id
),
named AS (
    SELECT word.word, vocab.tokenizer_id, vocab.token_id, vocab.display = word.word AS is_display
    FROM vocab
    SEMI JOIN projected ON projected.tokenizer_id = vocab.tokenizer_id
    JOIN word ON vocab.display = word.word OR vocab.token = word.word
)
SELECT word, tokenizer_id, token_id
FROM named
QUALIFY is_display = max(is_display) OVER (PARTITION BY word, tokenizer_id)
ORDER BY word, tokenizer_id, token_id
