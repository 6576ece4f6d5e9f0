-- One row: the id of the new tokenizer.
INSERT INTO tokenizer (tokenizer_id, name, fingerprint)
SELECT coalesce(max(tokenizer_id), 0) + 1, $name, $fingerprint FROM tokenizer
RETURNING tokenizer_id
