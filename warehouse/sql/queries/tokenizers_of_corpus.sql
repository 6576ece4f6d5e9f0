-- One row per tokenizer that has tokens of corpus $corpus_id.
SELECT DISTINCT tokenizer_id FROM token WHERE corpus_id = $corpus_id ORDER BY tokenizer_id
