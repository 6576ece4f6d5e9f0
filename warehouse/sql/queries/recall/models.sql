-- One row per model with recall: on how many corpora it was measured.
SELECT model.model_id, model.name, count(DISTINCT recall.corpus_sha256) AS n_corpora
FROM recall
JOIN model ON model.model_id = recall.model_id
GROUP BY model.model_id, model.name
ORDER BY model.model_id
