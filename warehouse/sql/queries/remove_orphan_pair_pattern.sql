-- Patterns that no run needs: none has this corpus under this tokenizer.
DELETE FROM pair_pattern
WHERE NOT EXISTS (
    SELECT 1
    FROM run
    JOIN model ON model.model_id = run.model_id
    WHERE run.corpus_id = pair_pattern.corpus_id AND model.tokenizer_id = pair_pattern.tokenizer_id
)
