-- Adds a vocabulary from the frame new_vocab. Parameter: tokenizer_id.
INSERT INTO vocab (tokenizer_id, token_id, token, display, is_special)
SELECT $tokenizer_id, token_id, token, display, is_special
FROM new_vocab
ORDER BY token_id
