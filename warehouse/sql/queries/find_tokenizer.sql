-- One row: the tokenizer with this fingerprint, if it is known.
SELECT tokenizer_id FROM tokenizer WHERE fingerprint = $fingerprint
