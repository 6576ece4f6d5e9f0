-- One row per item of tokenizer $tokenizer_id that occurs at least $least times in corpus $corpus_id: |z| of its log odds
-- ratio between labels, and the power of 2 that its count is in.
WITH labelled AS (
    SELECT token.token_id, sequence.label
    FROM token
    JOIN sequence USING (corpus_id, seq_id)
    WHERE token.tokenizer_id = $tokenizer_id AND token.corpus_id = $corpus_id
        AND NOT token.is_special AND sequence.label IS NOT NULL
),
totals AS (
    SELECT label, count(*) AS n_label, sum(count(*)) OVER () AS n_all FROM labelled GROUP BY label
),
items AS (
    SELECT token_id, count(*) AS n_item FROM labelled GROUP BY token_id HAVING count(*) >= $least
),
counts AS (
    SELECT token_id, label, count(*) AS n FROM labelled GROUP BY token_id, label
),
cells AS (
    SELECT
        items.token_id, items.n_item, coalesce(counts.n, 0) + 0.5 AS here, totals.n_label - coalesce(counts.n, 0) + 0.5 AS not_here,
        items.n_item - coalesce(counts.n, 0) + 0.5 AS elsewhere,
        totals.n_all - totals.n_label - items.n_item + coalesce(counts.n, 0) + 0.5 AS not_elsewhere
    FROM items
    CROSS JOIN totals
    LEFT JOIN counts ON counts.token_id = items.token_id AND counts.label = totals.label
),
scored AS (
    SELECT
        token_id, n_item,
        max(abs((ln(here / not_here) - ln(elsewhere / not_elsewhere)) / sqrt(1 / here + 1 / elsewhere))) AS z
    FROM cells
    GROUP BY token_id, n_item
)
SELECT token_id, z, floor(log2(n_item))::INTEGER AS frequency
FROM scored
ORDER BY token_id
