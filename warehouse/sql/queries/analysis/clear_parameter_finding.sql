-- Parameters: claim, family, model_id, other_model_id, corpus_id, corpus_sha256; those that a claim is not about are NULL.
DELETE FROM finding
WHERE claim = $claim AND run_id IS NULL
    AND family IS NOT DISTINCT FROM $family AND model_id IS NOT DISTINCT FROM $model_id
    AND other_model_id IS NOT DISTINCT FROM $other_model_id AND corpus_id IS NOT DISTINCT FROM $corpus_id
    AND ($corpus_sha256 IS NULL OR contains(query, $corpus_sha256))
