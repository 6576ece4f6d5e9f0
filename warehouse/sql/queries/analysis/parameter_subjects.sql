-- One row per claim about parameters and what it can be put to, with everything that its number depends on.
WITH reading AS (
    SELECT
        'P1' AS claim, NULL::VARCHAR AS family, recall.model_id, NULL::INTEGER AS other_model_id,
        any_value(corpus.corpus_id) AS corpus_id, recall.corpus_sha256,
        model.name || ' over ' || any_value(recall.corpus_name) AS title,
        list_sort(list((layer, component, k, n_units, gain, gain_low, gain_high, n_tokens)::VARCHAR)) AS content
    FROM recall
    JOIN model ON model.model_id = recall.model_id
    LEFT JOIN corpus ON corpus.sha256 = recall.corpus_sha256
    GROUP BY recall.model_id, model.name, recall.corpus_sha256
),
task AS (
    SELECT
        'P2' AS claim, NULL::VARCHAR AS family, tuned.model_id, base.model_id AS other_model_id, shift_task.corpus_id,
        NULL::VARCHAR AS corpus_sha256,
        tuned.name || ' from ' || base.name || ' over ' || any_value(corpus.name) AS title,
        list_sort(list((layer, value, low, high, n_items)::VARCHAR)) AS content
    FROM shift_task
    JOIN model AS tuned ON tuned.model_id = shift_task.tuned_model_id
    JOIN model AS base ON base.model_id = shift_task.base_model_id
    JOIN corpus ON corpus.corpus_id = shift_task.corpus_id
    GROUP BY tuned.model_id, tuned.name, base.model_id, base.name, shift_task.corpus_id
),
layers AS (
    SELECT
        'P3' AS claim, family_a AS family, NULL::INTEGER AS model_id, NULL::INTEGER AS other_model_id,
        NULL::INTEGER AS corpus_id, NULL::VARCHAR AS corpus_sha256, 'family ' || family_a AS title,
        list_sort(list((model_id_a, model_id_b, component, space, layer_a, layer_b)::VARCHAR)) AS content
    FROM v_alignment
    WHERE family_a = family_b AND assigned
    GROUP BY family_a
),
transfer AS (
    SELECT
        'P4' AS claim, NULL::VARCHAR AS family, b.model_id, NULL::INTEGER AS other_model_id,
        any_value(corpus.corpus_id) AS corpus_id, stitching.corpus_sha256,
        b.name || ' over ' || any_value(stitching.corpus_name) AS title,
        list_sort(list((stitching.model_a, cut, gain, gain_low, gain_high, stitching.n_sequences)::VARCHAR)) AS content
    FROM stitching
    JOIN model AS b ON b.model_id = stitching.model_b
    LEFT JOIN corpus ON corpus.sha256 = stitching.corpus_sha256
    WHERE kind = 'stitched'
    GROUP BY b.model_id, b.name, stitching.corpus_sha256
)
SELECT * FROM reading UNION ALL SELECT * FROM task UNION ALL SELECT * FROM layers UNION ALL SELECT * FROM transfer
ORDER BY claim, family, model_id, other_model_id, corpus_id, corpus_sha256
