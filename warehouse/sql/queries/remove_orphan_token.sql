-- Tokens that no run needs: none has this corpus under this tokenizer.
DELETE FROM token
WHERE NOT EXISTS (
    SELECT 1
    FROM run
    JOIN model ON model.model_id = run.model_id
    WHERE run.corpus_id = token.corpus_id AND model.tokenizer_id = token.tokenizer_id
)
