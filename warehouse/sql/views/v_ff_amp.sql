-- One row per complete run, layer, sequence, query and key: how much the feed-forward network amplifies the pair.
-- FF-amp = row-normalised map after FF minus row-normalised map before FF. The paper's exact normalisation
-- is not public; this one is Lenshouse's own.
CREATE VIEW v_ff_amp AS
WITH source AS (
    SELECT * FROM v_token_pair
),
final AS (
    SELECT
        run_id, run_name, layer, seq_id, query, key, query_token, key_token, query_is_special, key_is_special,
        before_ff_share, after_ff_share, ff_amp
    FROM source
)
SELECT * FROM final;

COMMENT ON VIEW v_ff_amp IS 'One row per complete run, layer, sequence, query and key: how much the feed-forward network amplifies the pair. The normalisation is Lenshouse''s own; the paper''s is not public.';
COMMENT ON COLUMN v_ff_amp.run_id IS 'The run (run.run_id).';
COMMENT ON COLUMN v_ff_amp.run_name IS 'Name of the run.';
COMMENT ON COLUMN v_ff_amp.layer IS 'Layer, from 1.';
COMMENT ON COLUMN v_ff_amp.seq_id IS 'The sequence (sequence.seq_id).';
COMMENT ON COLUMN v_ff_amp.query IS 'Position that receives, from 0.';
COMMENT ON COLUMN v_ff_amp.key IS 'Position that contributes, from 0.';
COMMENT ON COLUMN v_ff_amp.query_token IS 'Text of the token at query.';
COMMENT ON COLUMN v_ff_amp.key_token IS 'Text of the token at key.';
COMMENT ON COLUMN v_ff_amp.query_is_special IS 'True when the query''s token is special (token.is_special).';
COMMENT ON COLUMN v_ff_amp.key_is_special IS 'True when the key''s token is special (token.is_special).';
COMMENT ON COLUMN v_ff_amp.before_ff_share IS 'Row-normalised map before FF: atb where FF comes first in component_order (Post-LN, OLMo 2), after_ln where LN does.';
COMMENT ON COLUMN v_ff_amp.after_ff_share IS 'Row-normalised map after FF.';
COMMENT ON COLUMN v_ff_amp.ff_amp IS 'after_ff_share - before_ff_share, -1 to 1; positive when FF amplifies the pair. Sums to 0 over the keys of a query. Normalisation: ours.';
