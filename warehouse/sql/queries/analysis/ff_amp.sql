-- Temporary table ff_amp, one row per pair of two positions of one run and layer that the layer's attention can see:
-- FF-amp as in v_ff_amp, and whether the pair is of content (neither special). Shares are over all keys of the query;
-- pairs of a query whose map is zero have none. Parameters: run_id, layer, corpus_id, tokenizer_id, reads_atb (true
-- where the feed-forward network reads the map atb, false where it reads after_ln).
CREATE OR REPLACE TEMP TABLE ff_amp AS
WITH source AS (
    SELECT seq_id, query, key, attn, after_ff, CASE WHEN $reads_atb THEN atb ELSE after_ln END AS before_ff
    FROM token_pair
    WHERE run_id = $run_id AND layer = $layer
),
total AS (
    SELECT seq_id, query, nullif(sum(after_ff), 0) AS after_ff, nullif(sum(before_ff), 0) AS before_ff
    FROM source
    GROUP BY seq_id, query
),
special AS (
    SELECT seq_id, pos, is_special FROM token WHERE corpus_id = $corpus_id AND tokenizer_id = $tokenizer_id
),
final AS (
    SELECT
        source.seq_id, source.query, source.key,
        source.after_ff / total.after_ff - source.before_ff / total.before_ff AS ff_amp,
        NOT (query_side.is_special OR key_side.is_special) AS is_content
    FROM source
    JOIN total ON total.seq_id = source.seq_id AND total.query = source.query
    JOIN special AS query_side ON query_side.seq_id = source.seq_id AND query_side.pos = source.query
    JOIN special AS key_side ON key_side.seq_id = source.seq_id AND key_side.pos = source.key
    WHERE source.query <> source.key AND source.attn > 0
)
SELECT * FROM final WHERE ff_amp IS NOT NULL
