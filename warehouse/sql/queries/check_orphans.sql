-- One row per kind of rows whose owner is missing: how many owners are.
WITH found AS (
    SELECT 'token_pair' AS table_name, 'run' AS owner, count(DISTINCT run_id) AS n_missing
    FROM token_pair WHERE run_id NOT IN (SELECT run_id FROM run)
    UNION ALL
    SELECT 'token_norm', 'run', count(DISTINCT run_id)
    FROM token_norm WHERE run_id NOT IN (SELECT run_id FROM run)
    UNION ALL
    SELECT 'map_change', 'run', count(DISTINCT run_id)
    FROM map_change WHERE run_id NOT IN (SELECT run_id FROM run)
    UNION ALL
    SELECT 'layer_dim', 'run', count(DISTINCT run_id)
    FROM layer_dim WHERE run_id NOT IN (SELECT run_id FROM run)
    UNION ALL
    SELECT 'head_norm', 'run', count(DISTINCT run_id)
    FROM head_norm WHERE run_id NOT IN (SELECT run_id FROM run)
    UNION ALL
    SELECT 'head_pair', 'run', count(DISTINCT run_id)
    FROM head_pair WHERE run_id NOT IN (SELECT run_id FROM run)
    UNION ALL
    SELECT 'rollout', 'run', count(DISTINCT run_id)
    FROM rollout WHERE run_id NOT IN (SELECT run_id FROM run)
    UNION ALL
    SELECT 'inlier_change', 'run', count(DISTINCT run_id)
    FROM inlier_change WHERE run_id NOT IN (SELECT run_id FROM run)
    UNION ALL
    SELECT 'neuron_activation', 'run', count(DISTINCT run_id)
    FROM neuron_activation WHERE run_id NOT IN (SELECT run_id FROM run)
    UNION ALL
    SELECT 'loaded_part', 'run', count(DISTINCT run_id)
    FROM loaded_part WHERE run_id NOT IN (SELECT run_id FROM run)
    UNION ALL
    SELECT 'pattern_effect', 'run', count(DISTINCT run_id)
    FROM pattern_effect WHERE run_id NOT IN (SELECT run_id FROM run)
    UNION ALL
    SELECT 'estimate', 'run', count(DISTINCT run_id)
    FROM estimate WHERE run_id NOT IN (SELECT run_id FROM run)
    UNION ALL
    SELECT 'outlier_dim', 'run', count(DISTINCT run_id)
    FROM outlier_dim WHERE run_id NOT IN (SELECT run_id FROM run)
    UNION ALL
    SELECT 'top_pair', 'run', count(DISTINCT run_id)
    FROM top_pair WHERE run_id NOT IN (SELECT run_id FROM run)
    UNION ALL
    SELECT 'sequence', 'corpus', count(DISTINCT corpus_id)
    FROM sequence WHERE corpus_id NOT IN (SELECT corpus_id FROM corpus)
    UNION ALL
    SELECT 'token', 'corpus', count(DISTINCT corpus_id)
    FROM token WHERE corpus_id NOT IN (SELECT corpus_id FROM corpus)
    UNION ALL
    SELECT 'annotation', 'corpus', count(DISTINCT corpus_id)
    FROM annotation WHERE corpus_id NOT IN (SELECT corpus_id FROM corpus)
    UNION ALL
    SELECT 'word', 'annotation', count(DISTINCT corpus_id)
    FROM word WHERE corpus_id NOT IN (SELECT corpus_id FROM annotation)
    UNION ALL
    SELECT 'pair_pattern', 'corpus', count(DISTINCT corpus_id)
    FROM pair_pattern WHERE corpus_id NOT IN (SELECT corpus_id FROM corpus)
    UNION ALL
    SELECT 'pair_pattern', 'tokenizer', count(DISTINCT tokenizer_id)
    FROM pair_pattern WHERE tokenizer_id NOT IN (SELECT tokenizer_id FROM tokenizer)
    UNION ALL
    SELECT 'vocab', 'tokenizer', count(DISTINCT tokenizer_id)
    FROM vocab WHERE tokenizer_id NOT IN (SELECT tokenizer_id FROM tokenizer)
    UNION ALL
    SELECT 'run', 'model', count(DISTINCT model_id)
    FROM run WHERE model_id NOT IN (SELECT model_id FROM model)
    UNION ALL
    SELECT 'stitching', 'model', count(DISTINCT model_id)
    FROM (SELECT model_a AS model_id FROM stitching UNION ALL SELECT model_b FROM stitching)
    WHERE model_id NOT IN (SELECT model_id FROM model)
    UNION ALL
    SELECT 'parameter_shift', 'model', count(DISTINCT model_id)
    FROM (SELECT base_model_id AS model_id FROM parameter_shift UNION ALL SELECT tuned_model_id FROM parameter_shift)
    WHERE model_id NOT IN (SELECT model_id FROM model)
    UNION ALL
    SELECT 'parameter_diff', 'parameter_shift', count(DISTINCT tuned_model_id)
    FROM parameter_diff
    WHERE (base_model_id, tuned_model_id) NOT IN (SELECT (base_model_id, tuned_model_id) FROM parameter_shift)
    UNION ALL
    SELECT 'projection_part', 'model', count(DISTINCT model_id)
    FROM projection_part WHERE model_id NOT IN (SELECT model_id FROM model)
    UNION ALL
    SELECT 'projection', 'projection_part', count(DISTINCT model_id)
    FROM projection WHERE model_id NOT IN (SELECT model_id FROM projection_part)
    UNION ALL
    SELECT 'recall', 'model', count(DISTINCT model_id)
    FROM recall WHERE model_id NOT IN (SELECT model_id FROM model)
    UNION ALL
    SELECT 'pair_projection_part', 'model', count(DISTINCT model_id)
    FROM pair_projection_part WHERE model_id NOT IN (SELECT model_id FROM model)
    UNION ALL
    SELECT 'pair_projection', 'pair_projection_part', count(DISTINCT model_id)
    FROM pair_projection WHERE model_id NOT IN (SELECT model_id FROM pair_projection_part)
    UNION ALL
    SELECT 'vocab_filter', 'tokenizer', count(DISTINCT tokenizer_id)
    FROM vocab_filter WHERE tokenizer_id NOT IN (SELECT tokenizer_id FROM tokenizer)
    UNION ALL
    SELECT 'run', 'corpus', count(DISTINCT corpus_id)
    FROM run WHERE corpus_id NOT IN (SELECT corpus_id FROM corpus)
)
SELECT table_name, owner, n_missing FROM found WHERE n_missing > 0
