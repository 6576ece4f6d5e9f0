-- One row per complete run, layer and rank, once `lenshouse analyze` has run: the pairs that FF amplifies most.
-- A pair's patterns are gathered for the stored pairs only, so that pair_pattern is read once and joined small.
CREATE VIEW v_top_pair AS
WITH source AS (
    SELECT
        top_pair.*, v_run.run_name, v_run.model_name, v_run.corpus_name, v_run.corpus_id, v_run.tokenizer_id
    FROM top_pair
    JOIN v_run ON v_run.run_id = top_pair.run_id
),
held AS (
    SELECT
        source.run_id, source.layer, source.rank,
        list(DISTINCT pair_pattern.pattern || coalesce(':' || pair_pattern.relation, '')
            ORDER BY pair_pattern.pattern || coalesce(':' || pair_pattern.relation, '')) AS patterns
    FROM source
    JOIN pair_pattern
        ON pair_pattern.corpus_id = source.corpus_id AND pair_pattern.tokenizer_id = source.tokenizer_id
        AND pair_pattern.seq_id = source.seq_id AND pair_pattern.query = source.query
        AND pair_pattern.key = source.key
    GROUP BY source.run_id, source.layer, source.rank
),
token_text AS (
    SELECT token.tokenizer_id, token.corpus_id, token.seq_id, token.pos, vocab.display
    FROM token
    LEFT JOIN vocab ON vocab.tokenizer_id = token.tokenizer_id AND vocab.token_id = token.token_id
),
final AS (
    SELECT
        source.run_id, source.run_name, source.model_name, source.corpus_name, source.layer, source.rank,
        source.seq_id, source.query, source.key, query_text.display AS query_token, key_text.display AS key_token,
        source.ff_amp, coalesce(held.patterns, []) AS patterns, sequence.text
    FROM source
    LEFT JOIN held ON held.run_id = source.run_id AND held.layer = source.layer AND held.rank = source.rank
    LEFT JOIN token_text AS query_text
        ON query_text.tokenizer_id = source.tokenizer_id AND query_text.corpus_id = source.corpus_id
        AND query_text.seq_id = source.seq_id AND query_text.pos = source.query
    LEFT JOIN token_text AS key_text
        ON key_text.tokenizer_id = source.tokenizer_id AND key_text.corpus_id = source.corpus_id
        AND key_text.seq_id = source.seq_id AND key_text.pos = source.key
    LEFT JOIN sequence ON sequence.corpus_id = source.corpus_id AND sequence.seq_id = source.seq_id
)
SELECT * FROM final;

COMMENT ON VIEW v_top_pair IS 'One row per complete run, layer and rank, once lenshouse analyze has run: the pairs of two positions, neither special, that the feed-forward network amplifies most, with their patterns and their sentence.';
COMMENT ON COLUMN v_top_pair.run_id IS 'The run (run.run_id).';
COMMENT ON COLUMN v_top_pair.run_name IS 'Name of the run.';
COMMENT ON COLUMN v_top_pair.model_name IS 'Name of the model.';
COMMENT ON COLUMN v_top_pair.corpus_name IS 'Name of the corpus.';
COMMENT ON COLUMN v_top_pair.layer IS 'Layer, from 1.';
COMMENT ON COLUMN v_top_pair.rank IS 'Rank by FF-amp in the layer, from 1.';
COMMENT ON COLUMN v_top_pair.seq_id IS 'The sequence (sequence.seq_id).';
COMMENT ON COLUMN v_top_pair.query IS 'Position that receives, from 0.';
COMMENT ON COLUMN v_top_pair.key IS 'Position that contributes, from 0.';
COMMENT ON COLUMN v_top_pair.query_token IS 'Text of the token at query.';
COMMENT ON COLUMN v_top_pair.key_token IS 'Text of the token at key.';
COMMENT ON COLUMN v_top_pair.ff_amp IS 'FF-amp of the pair (v_ff_amp.ff_amp).';
COMMENT ON COLUMN v_top_pair.patterns IS 'Patterns that hold for the pair, with their relation: head_dependent:nsubj; empty when none, or without annotation.';
COMMENT ON COLUMN v_top_pair.text IS 'The sentence (sequence.text).';
