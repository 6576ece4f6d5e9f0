-- One row per annotated corpus and tokenizer: how the tokens meet the words. What has no word is in no pattern of words.
CREATE VIEW v_alignment AS
WITH source AS (
    SELECT token.* FROM token JOIN annotation ON annotation.corpus_id = token.corpus_id
),
homeless AS (
    SELECT corpus_id, tokenizer_id, seq_id, pos, char_start, char_end
    FROM source
    WHERE word_id IS NULL AND NOT is_special
),
across AS (
    SELECT homeless.corpus_id, homeless.tokenizer_id, count(*) AS n_across
    FROM homeless
    SEMI JOIN word
        ON word.corpus_id = homeless.corpus_id AND word.seq_id = homeless.seq_id
        AND word.char_start < homeless.char_end AND word.char_end > homeless.char_start
    GROUP BY homeless.corpus_id, homeless.tokenizer_id
),
counted AS (
    SELECT
        corpus_id, tokenizer_id, count(*) FILTER (NOT is_special) AS n_tokens,
        count(*) FILTER (NOT is_special AND word_id IS NULL) AS n_without_word,
        count(DISTINCT (seq_id, word_id)) FILTER (word_id IS NOT NULL) AS n_words_with_token
    FROM source
    GROUP BY corpus_id, tokenizer_id
),
final AS (
    SELECT
        counted.corpus_id, corpus.name AS corpus_name, counted.tokenizer_id, tokenizer.name AS tokenizer_name,
        counted.n_tokens, coalesce(across.n_across, 0) AS n_across,
        counted.n_without_word - coalesce(across.n_across, 0) AS n_on_none,
        annotation.n_words, annotation.n_words - counted.n_words_with_token AS n_words_without_token
    FROM counted
    JOIN corpus ON corpus.corpus_id = counted.corpus_id
    JOIN tokenizer ON tokenizer.tokenizer_id = counted.tokenizer_id
    JOIN annotation ON annotation.corpus_id = counted.corpus_id
    LEFT JOIN across ON across.corpus_id = counted.corpus_id AND across.tokenizer_id = counted.tokenizer_id
)
SELECT * FROM final;

COMMENT ON VIEW v_alignment IS 'One row per annotated corpus and tokenizer: how the tokens meet the words. Special tokens do not count.';
COMMENT ON COLUMN v_alignment.corpus_id IS 'The corpus (corpus.corpus_id).';
COMMENT ON COLUMN v_alignment.corpus_name IS 'Name of the corpus.';
COMMENT ON COLUMN v_alignment.tokenizer_id IS 'The tokenizer (tokenizer.tokenizer_id).';
COMMENT ON COLUMN v_alignment.tokenizer_name IS 'Name of the tokenizer.';
COMMENT ON COLUMN v_alignment.n_tokens IS 'Tokens that are not special.';
COMMENT ON COLUMN v_alignment.n_across IS 'Those that lie across words, or across a word and what is none: token.word_id is NULL.';
COMMENT ON COLUMN v_alignment.n_on_none IS 'Those that lie on no word, as white space does, or a sequence that the annotation does not have: token.word_id is NULL.';
COMMENT ON COLUMN v_alignment.n_words IS 'Words of the annotation.';
COMMENT ON COLUMN v_alignment.n_words_without_token IS 'Words that no token lies in: the tokenizer drops their characters, or all of them lie across words, or they share the span of another word.';
