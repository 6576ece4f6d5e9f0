-- Parameters: tokenizer_id, file (vocab.parquet).
INSERT INTO vocab (tokenizer_id, token_id, token, display, is_special)
SELECT $tokenizer_id, token_id, token, display, is_special
FROM read_parquet($file)
ORDER BY token_id
