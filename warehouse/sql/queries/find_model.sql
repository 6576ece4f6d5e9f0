-- One row: the model with this natural key, if it is known.
SELECT model_id
FROM model
WHERE name = $name
    AND revision IS NOT DISTINCT FROM $revision
    AND weights_sha256 IS NOT DISTINCT FROM $weights_sha256
    AND family IS NOT DISTINCT FROM $family
    AND seed IS NOT DISTINCT FROM $seed
    AND tokenizer_id = $tokenizer_id
