-- One row: the items that a filter's name stands for, if it is known. Parameters: tokenizer_id, name.
SELECT definition, n_items, ids_sha256
FROM vocab_filter
WHERE tokenizer_id = $tokenizer_id AND name = $name
