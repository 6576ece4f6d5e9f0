-- One row per item that occurs in the warehouse's texts under a tokenizer: how often. Parameter: fingerprint.
SELECT token.token_id, count(*) AS n
FROM token
JOIN tokenizer ON tokenizer.tokenizer_id = token.tokenizer_id
WHERE tokenizer.fingerprint = $fingerprint
GROUP BY token.token_id
