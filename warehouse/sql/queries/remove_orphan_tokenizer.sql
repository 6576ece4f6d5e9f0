-- Tokenizers that no model uses.
DELETE FROM tokenizer WHERE tokenizer_id NOT IN (SELECT tokenizer_id FROM model)
