-- One row per sequence and pattern, and per relation of head_dependent: the pattern's pairs, the sum of their FF-amp,
-- and those among the most amplified. Of the temporary table ff_amp. Only the pattern special has pairs with special
-- tokens, and is measured against all pairs. Parameters: corpus_id, tokenizer_id, threshold_content, threshold_any.
WITH held AS (
    SELECT
        pair_pattern.seq_id, pair_pattern.pattern,
        CASE WHEN pair_pattern.pattern = 'head_dependent' THEN pair_pattern.relation END AS relation,
        ff_amp.ff_amp,
        ff_amp.ff_amp >= CASE pair_pattern.pattern WHEN 'special' THEN $threshold_any ELSE $threshold_content END
            AS is_top
    FROM pair_pattern
    JOIN ff_amp
        ON ff_amp.seq_id = pair_pattern.seq_id AND ff_amp.query = pair_pattern.query AND ff_amp.key = pair_pattern.key
    WHERE pair_pattern.corpus_id = $corpus_id AND pair_pattern.tokenizer_id = $tokenizer_id
        AND (ff_amp.is_content OR pair_pattern.pattern = 'special')
),
final AS (
    SELECT
        seq_id, pattern, relation, grouping(relation) AS all_relations,
        count(*)::DOUBLE AS n_pairs, sum(ff_amp) AS sum_amp, (count(*) FILTER (WHERE is_top))::DOUBLE AS n_top
    FROM held
    GROUP BY GROUPING SETS ((seq_id, pattern), (seq_id, pattern, relation))
)
SELECT seq_id, pattern, relation, n_pairs, sum_amp, n_top
FROM final
WHERE all_relations = 1 OR relation IS NOT NULL
ORDER BY pattern, relation NULLS FIRST, seq_id
