-- Parameters: corpus_id, tokenizer_id.
DELETE FROM pair_pattern WHERE corpus_id = $corpus_id AND tokenizer_id = $tokenizer_id
