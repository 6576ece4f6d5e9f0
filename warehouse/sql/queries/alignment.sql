-- One row per tokenizer of annotated corpus $corpus_id: how its tokens meet the words. Special tokens do not count.
-- n_across: tokens that lie across words, or across a word and what is none. n_on_none: those on no word, as white space
-- is, or all of a sequence that the annotation does not have. Words without a token: the tokenizer drops their
-- characters, all of them lie across words, or another word has their span.
WITH source AS (
    SELECT * FROM token WHERE corpus_id = $corpus_id
),
homeless AS (
    SELECT tokenizer_id, seq_id, char_start, char_end FROM source WHERE word_id IS NULL AND NOT is_special
),
across AS (
    SELECT homeless.tokenizer_id, count(*) AS n_across
    FROM homeless
    SEMI JOIN word
        ON word.corpus_id = $corpus_id AND word.seq_id = homeless.seq_id
        AND word.char_start < homeless.char_end AND word.char_end > homeless.char_start
    GROUP BY homeless.tokenizer_id
),
counted AS (
    SELECT
        tokenizer_id, count(*) FILTER (NOT is_special) AS n_tokens,
        count(*) FILTER (NOT is_special AND word_id IS NULL) AS n_without_word,
        count(DISTINCT (seq_id, word_id)) FILTER (word_id IS NOT NULL) AS n_words_with_token
    FROM source
    GROUP BY tokenizer_id
),
final AS (
    SELECT
        tokenizer.name AS tokenizer_name, counted.n_tokens, coalesce(across.n_across, 0) AS n_across,
        counted.n_without_word - coalesce(across.n_across, 0) AS n_on_none,
        annotation.n_words - counted.n_words_with_token AS n_words_without_token
    FROM counted
    JOIN tokenizer ON tokenizer.tokenizer_id = counted.tokenizer_id
    JOIN annotation ON annotation.corpus_id = $corpus_id
    LEFT JOIN across ON across.tokenizer_id = counted.tokenizer_id
    ORDER BY counted.tokenizer_id
)
SELECT * FROM final
