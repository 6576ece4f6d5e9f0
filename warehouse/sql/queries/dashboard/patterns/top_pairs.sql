-- One row per stored pair of run $run_id that passes the filters, the most amplified first. NULL lets everything pass:
-- $layer; $token, a part of either token's text; $pattern and $relation, which one pattern of the pair has to have both;
-- $nearest and $farthest, positions between query and key.
SELECT
    layer, rank, seq_id, query, key, query_token, key_token, ff_amp, array_to_string(patterns, ', ') AS patterns, text
FROM v_top_pair
WHERE run_id = $run_id AND ($layer IS NULL OR layer = $layer)
    AND (
        $token IS NULL OR contains(lower(query_token), lower($token)) OR contains(lower(key_token), lower($token))
    )
    AND (
        ($pattern IS NULL AND $relation IS NULL)
        OR len(list_filter(patterns, lambda held:
            ($pattern IS NULL OR split_part(held, ':', 1) = $pattern)
            AND ($relation IS NULL OR (contains(held, ':') AND substr(held, strpos(held, ':') + 1) = $relation)))) > 0
    )
    AND abs(query - key) BETWEEN $nearest AND $farthest
ORDER BY ff_amp DESC, layer, rank
