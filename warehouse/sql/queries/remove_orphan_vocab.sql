-- Vocabularies of tokenizers that are gone.
DELETE FROM vocab WHERE tokenizer_id NOT IN (SELECT tokenizer_id FROM tokenizer)
