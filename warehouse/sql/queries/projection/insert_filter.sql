-- Adds a filter.
INSERT INTO vocab_filter (tokenizer_id, name, definition, n_items, ids_sha256)
VALUES ($tokenizer_id, $name, $definition, $n_items, $ids_sha256)
