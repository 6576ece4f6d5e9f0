-- One row per unit, sign, filter and reading of LN that has at least one of the items among its top items, the units
-- with most of the words first. Parameters: words, tokenizer_ids, token_ids (three lists of one length), sign (1, -1 or
-- NULL for both), model_id, component, layer (NULL for all).
WITH item AS (
    SELECT unnest($words) AS word, unnest($tokenizer_ids) AS tokenizer_id, unnest($token_ids) AS token_id
),
sought AS (
    SELECT model.model_id, item.word, item.token_id
    FROM item
    JOIN model ON model.tokenizer_id = item.tokenizer_id
),
found AS (
    SELECT
        projection.model_id, projection.layer, projection.component, projection.unit, projection.head,
        projection.sign, projection.vocab_filter, projection.ln_folded,
        count(DISTINCT sought.word) AS n_tokens, avg(projection.rank) AS mean_rank, sum(projection.score) AS score
    FROM projection
    JOIN sought ON sought.model_id = projection.model_id AND sought.token_id = projection.token_id
    WHERE projection.token_id IN (SELECT unnest($token_ids))
        AND ($sign IS NULL OR projection.sign = $sign)
        AND ($model_id IS NULL OR projection.model_id = $model_id)
        AND ($component IS NULL OR projection.component = $component)
        AND ($layer IS NULL OR projection.layer = $layer)
    GROUP BY ALL
)
SELECT
    model.name AS model_name, found.layer, found.component, found.unit, found.head, found.sign, found.n_tokens,
    found.mean_rank, found.score, found.vocab_filter, found.ln_folded
FROM found
JOIN model ON model.model_id = found.model_id
ORDER BY
    found.n_tokens DESC, found.mean_rank, abs(found.score) DESC, found.model_id, found.layer, found.component,
    found.unit, found.sign, found.vocab_filter, found.ln_folded
