-- One row per rank: the pairs of content that are amplified most, of the temporary table ff_amp. Parameter: limit.
WITH best AS (
    SELECT seq_id, query, key, ff_amp
    FROM ff_amp
    WHERE is_content AND ff_amp > 0
    ORDER BY ff_amp DESC, seq_id, query, key
    LIMIT $limit
)
SELECT row_number() OVER (ORDER BY ff_amp DESC, seq_id, query, key) AS rank, * FROM best ORDER BY rank
