-- One row per base model, tuned model and corpus with at least two labels that has tokens of the tuned model's tokenizer.
WITH shifts AS (
    SELECT
        base_model_id, tuned_model_id, max(method_version) AS method_version,
        sum(hash(layer, component, norm))::VARCHAR AS content
    FROM parameter_shift
    GROUP BY base_model_id, tuned_model_id
),
labelled AS (
    SELECT corpus_id FROM sequence GROUP BY corpus_id HAVING count(DISTINCT label) > 1
),
tokenised AS (
    SELECT DISTINCT tokenizer_id, corpus_id FROM token SEMI JOIN labelled USING (corpus_id)
)
SELECT
    shifts.base_model_id, shifts.tuned_model_id, tokenised.corpus_id, tokenised.tokenizer_id,
    base.name AS base, tuned.name AS tuned, corpus.name AS corpus_name, corpus.sha256, shifts.method_version,
    shifts.content
FROM shifts
JOIN model AS base ON base.model_id = shifts.base_model_id
JOIN model AS tuned ON tuned.model_id = shifts.tuned_model_id
JOIN tokenised ON tokenised.tokenizer_id = tuned.tokenizer_id
JOIN corpus ON corpus.corpus_id = tokenised.corpus_id
ORDER BY ALL
