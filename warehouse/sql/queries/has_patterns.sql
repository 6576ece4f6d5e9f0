-- A row when the pairs of a corpus under a tokenizer have patterns. Parameters: corpus_id, tokenizer_id.
SELECT 1 FROM pair_pattern WHERE corpus_id = $corpus_id AND tokenizer_id = $tokenizer_id LIMIT 1
