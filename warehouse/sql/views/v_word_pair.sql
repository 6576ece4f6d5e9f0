-- One row per complete run, layer, sequence, query word and key word: row-normalised maps of words instead of tokens.
-- What a word contributes is the sum over its tokens; what it receives is the mean over its tokens. A mean is over all
-- tokens of the query's word, and a token that does not see a key (causal models) receives nothing from it. The words'
-- groups hold the columns that people filter by, so that DuckDB reads only what was asked for.
CREATE VIEW v_word_pair AS
WITH source AS (
    SELECT v_token_pair.*, v_run.tokenizer_id, v_run.corpus_id
    FROM v_token_pair
    JOIN v_run ON v_run.run_id = v_token_pair.run_id
),
worded AS (
    SELECT
        source.*, query_token_row.word_id AS query_word_id, key_token_row.word_id AS key_word_id
    FROM source
    JOIN token AS query_token_row
        ON query_token_row.tokenizer_id = source.tokenizer_id AND query_token_row.corpus_id = source.corpus_id
        AND query_token_row.seq_id = source.seq_id AND query_token_row.pos = source.query
        AND query_token_row.word_id IS NOT NULL
    JOIN token AS key_token_row
        ON key_token_row.tokenizer_id = source.tokenizer_id AND key_token_row.corpus_id = source.corpus_id
        AND key_token_row.seq_id = source.seq_id AND key_token_row.pos = source.key
        AND key_token_row.word_id IS NOT NULL
),
summed AS (
    SELECT
        run_id, run_name, layer, seq_id, query_word_id, key_word_id, tokenizer_id, corpus_id,
        sum(attn) AS attn,
        CASE WHEN count(*) = count(attn_norm_share) THEN sum(attn_norm_share) END AS attn_norm_share,
        CASE WHEN count(*) = count(atb_share) THEN sum(atb_share) END AS atb_share,
        CASE WHEN count(*) = count(after_ff_share) THEN sum(after_ff_share) END AS after_ff_share,
        CASE WHEN count(*) = count(after_res_share) THEN sum(after_res_share) END AS after_res_share,
        CASE WHEN count(*) = count(after_ln_share) THEN sum(after_ln_share) END AS after_ln_share,
        CASE WHEN count(*) = count(before_ff_share) THEN sum(before_ff_share) END AS before_ff_share
    FROM worded
    GROUP BY run_id, run_name, layer, seq_id, query_word_id, key_word_id, tokenizer_id, corpus_id
),
word_size AS (
    SELECT tokenizer_id, corpus_id, seq_id, word_id, count(*) AS n_tokens
    FROM token
    WHERE word_id IS NOT NULL
    GROUP BY tokenizer_id, corpus_id, seq_id, word_id
),
final AS (
    SELECT
        summed.run_id, summed.run_name, summed.layer, summed.seq_id, summed.query_word_id, summed.key_word_id,
        query_word.form AS query_word, key_word.form AS key_word,
        query_size.n_tokens AS n_query_tokens, key_size.n_tokens AS n_key_tokens,
        summed.attn / query_size.n_tokens AS attn,
        summed.attn_norm_share / query_size.n_tokens AS attn_norm_share,
        summed.atb_share / query_size.n_tokens AS atb_share,
        summed.after_ff_share / query_size.n_tokens AS after_ff_share,
        summed.after_res_share / query_size.n_tokens AS after_res_share,
        summed.after_ln_share / query_size.n_tokens AS after_ln_share,
        summed.before_ff_share / query_size.n_tokens AS before_ff_share,
        (summed.after_ff_share - summed.before_ff_share) / query_size.n_tokens AS ff_amp
    FROM summed
    JOIN word_size AS query_size
        ON query_size.tokenizer_id = summed.tokenizer_id AND query_size.corpus_id = summed.corpus_id
        AND query_size.seq_id = summed.seq_id AND query_size.word_id = summed.query_word_id
    JOIN word_size AS key_size
        ON key_size.tokenizer_id = summed.tokenizer_id AND key_size.corpus_id = summed.corpus_id
        AND key_size.seq_id = summed.seq_id AND key_size.word_id = summed.key_word_id
    JOIN word AS query_word
        ON query_word.corpus_id = summed.corpus_id AND query_word.seq_id = summed.seq_id
        AND query_word.word_id = summed.query_word_id
    JOIN word AS key_word
        ON key_word.corpus_id = summed.corpus_id AND key_word.seq_id = summed.seq_id
        AND key_word.word_id = summed.key_word_id
)
SELECT * FROM final;

COMMENT ON VIEW v_word_pair IS 'One row per complete run, layer, sequence, query word and key word of an annotated corpus: row-normalised maps of words, summed over the key word''s tokens, averaged over the query word''s tokens. Tokens without a word (special ones too) are left out, so shares of a query word sum to less than 1. Filter by run_id, layer and seq_id to read little.';
COMMENT ON COLUMN v_word_pair.run_id IS 'The run (run.run_id).';
COMMENT ON COLUMN v_word_pair.run_name IS 'Name of the run.';
COMMENT ON COLUMN v_word_pair.layer IS 'Layer, from 1.';
COMMENT ON COLUMN v_word_pair.seq_id IS 'The sequence (sequence.seq_id).';
COMMENT ON COLUMN v_word_pair.query_word_id IS 'Word that receives (word.word_id).';
COMMENT ON COLUMN v_word_pair.key_word_id IS 'Word that contributes (word.word_id); it may be the query''s word itself.';
COMMENT ON COLUMN v_word_pair.query_word IS 'The query''s word as the annotation spells it.';
COMMENT ON COLUMN v_word_pair.key_word IS 'The key''s word as the annotation spells it.';
COMMENT ON COLUMN v_word_pair.n_query_tokens IS 'Tokens of the query''s word.';
COMMENT ON COLUMN v_word_pair.n_key_tokens IS 'Tokens of the key''s word.';
COMMENT ON COLUMN v_word_pair.attn IS 'Raw attention weight, mean over heads, of the word pair.';
COMMENT ON COLUMN v_word_pair.attn_norm_share IS 'Row-normalised attn_norm of the word pair; NULL when a row of it is NULL.';
COMMENT ON COLUMN v_word_pair.atb_share IS 'Row-normalised atb of the word pair; NULL when a row of it is NULL.';
COMMENT ON COLUMN v_word_pair.after_ff_share IS 'Row-normalised after_ff of the word pair; NULL when a row of it is NULL.';
COMMENT ON COLUMN v_word_pair.after_res_share IS 'Row-normalised after_res of the word pair; NULL when a row of it is NULL.';
COMMENT ON COLUMN v_word_pair.after_ln_share IS 'Row-normalised after_ln of the word pair; NULL when a row of it is NULL.';
COMMENT ON COLUMN v_word_pair.before_ff_share IS 'Row-normalised map before FF of the word pair (v_token_pair.before_ff_share).';
COMMENT ON COLUMN v_word_pair.ff_amp IS 'after_ff_share - before_ff_share: positive when FF amplifies what the key word contributes to the query word. Normalisation: ours.';
