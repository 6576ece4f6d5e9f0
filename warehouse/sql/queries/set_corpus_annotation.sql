-- Parameters: corpus_id, source.
UPDATE corpus SET annotation = $source WHERE corpus_id = $corpus_id
