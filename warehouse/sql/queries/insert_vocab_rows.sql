-- Parameters: tokenizer_id. new_rows is a frame in the schema of vocab, without the key.
INSERT INTO vocab (tokenizer_id, token_id, token, display, is_special)
SELECT $tokenizer_id, token_id, token, display, is_special
FROM new_rows
ORDER BY token_id
