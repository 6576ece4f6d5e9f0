-- One row per sequence and kind of token of a layer: for each stage the sum of the mixing ratios and how many are
-- defined. Kinds: all; special; upos:X and zipf:N (whole part of the word's Zipf frequency), of words.
-- Parameters: run_id, layer, corpus_id, tokenizer_id.
WITH source AS (
    SELECT
        norm.seq_id, norm.mix_atb, norm.mix_after_ff, norm.mix_after_res, norm.mix_after_ln,
        token.is_special, word.upos, word.zipf
    FROM token_norm AS norm
    JOIN token
        ON token.corpus_id = $corpus_id AND token.tokenizer_id = $tokenizer_id
        AND token.seq_id = norm.seq_id AND token.pos = norm.pos
    LEFT JOIN word
        ON word.corpus_id = $corpus_id AND word.seq_id = token.seq_id AND word.word_id = token.word_id
    WHERE norm.run_id = $run_id AND norm.layer = $layer
),
kinds AS (
    SELECT *, unnest(list_filter([
        'all',
        CASE WHEN is_special THEN 'special' END,
        'upos:' || upos,
        'zipf:' || floor(zipf)::INTEGER
    ], lambda kind: kind IS NOT NULL)) AS kind
    FROM source
)
SELECT
    seq_id, kind,
    coalesce(sum(mix_atb), 0) AS sum_atb, count(mix_atb)::DOUBLE AS n_atb,
    coalesce(sum(mix_after_ff), 0) AS sum_after_ff, count(mix_after_ff)::DOUBLE AS n_after_ff,
    coalesce(sum(mix_after_res), 0) AS sum_after_res, count(mix_after_res)::DOUBLE AS n_after_res,
    coalesce(sum(mix_after_ln), 0) AS sum_after_ln, count(mix_after_ln)::DOUBLE AS n_after_ln
FROM kinds
GROUP BY seq_id, kind
ORDER BY kind, seq_id
