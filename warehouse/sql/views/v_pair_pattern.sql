-- One row per complete run, sequence, query, key and pattern that holds for the pair, with tokens and words.
-- Of a causal model's pairs, those that it has: key before query.
CREATE VIEW v_pair_pattern AS
WITH source AS (
    SELECT v_run.run_id, v_run.run_name, pair_pattern.*
    FROM pair_pattern
    JOIN v_run
        ON v_run.corpus_id = pair_pattern.corpus_id AND v_run.tokenizer_id = pair_pattern.tokenizer_id
    WHERE NOT v_run.is_causal OR pair_pattern.key < pair_pattern.query
),
token_text AS (
    SELECT
        token.tokenizer_id, token.corpus_id, token.seq_id, token.pos, token.word_id, vocab.display, word.form
    FROM token
    LEFT JOIN vocab ON vocab.tokenizer_id = token.tokenizer_id AND vocab.token_id = token.token_id
    LEFT JOIN word
        ON word.corpus_id = token.corpus_id AND word.seq_id = token.seq_id AND word.word_id = token.word_id
),
final AS (
    SELECT
        source.run_id, source.run_name, source.seq_id, source.query, source.key, source.pattern, source.relation,
        source.query_is_head, query_text.display AS query_token, key_text.display AS key_token,
        query_text.word_id AS query_word_id, key_text.word_id AS key_word_id,
        query_text.form AS query_word, key_text.form AS key_word
    FROM source
    LEFT JOIN token_text AS query_text
        ON query_text.tokenizer_id = source.tokenizer_id AND query_text.corpus_id = source.corpus_id
        AND query_text.seq_id = source.seq_id AND query_text.pos = source.query
    LEFT JOIN token_text AS key_text
        ON key_text.tokenizer_id = source.tokenizer_id AND key_text.corpus_id = source.corpus_id
        AND key_text.seq_id = source.seq_id AND key_text.pos = source.key
)
SELECT * FROM final;

COMMENT ON VIEW v_pair_pattern IS 'One row per complete run, sequence, query, key and linguistic pattern that holds for the pair, of two positions; of a causal model''s pairs, those that it has. Joins v_ff_amp on run_id, seq_id, query and key.';
COMMENT ON COLUMN v_pair_pattern.run_id IS 'The run (run.run_id).';
COMMENT ON COLUMN v_pair_pattern.run_name IS 'Name of the run.';
COMMENT ON COLUMN v_pair_pattern.seq_id IS 'The sequence (sequence.seq_id).';
COMMENT ON COLUMN v_pair_pattern.query IS 'Position that receives, from 0.';
COMMENT ON COLUMN v_pair_pattern.key IS 'Position that contributes, from 0; never the query.';
COMMENT ON COLUMN v_pair_pattern.pattern IS 'The pattern: subword, compound, mwe, entity, same_token, same_lemma, head_dependent, adjacent, punct or special (pair_pattern.pattern says what each is).';
COMMENT ON COLUMN v_pair_pattern.relation IS 'head_dependent and compound: the dependent''s relation; mwe: the expression''s kind; entity: its type; NULL otherwise.';
COMMENT ON COLUMN v_pair_pattern.query_is_head IS 'head_dependent and compound: true when the query''s word is the head; NULL otherwise.';
COMMENT ON COLUMN v_pair_pattern.query_token IS 'Text of the token at query.';
COMMENT ON COLUMN v_pair_pattern.key_token IS 'Text of the token at key.';
COMMENT ON COLUMN v_pair_pattern.query_word_id IS 'Word of the token at query (word.word_id); NULL where it has none.';
COMMENT ON COLUMN v_pair_pattern.key_word_id IS 'Word of the token at key (word.word_id); NULL where it has none.';
COMMENT ON COLUMN v_pair_pattern.query_word IS 'That word as the annotation spells it.';
COMMENT ON COLUMN v_pair_pattern.key_word IS 'That word as the annotation spells it.';
