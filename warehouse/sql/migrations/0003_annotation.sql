-- Words of a corpus with what is known of them, and which token pairs stand in which linguistic pattern.
-- Both belong to the text and its tokens, not to a run: annotating again does not touch stored maps.

ALTER TABLE token ADD COLUMN word_id SMALLINT;
COMMENT ON COLUMN token.word_id IS 'The word that the token is a part of (word.word_id); NULL for special tokens, without annotation, and where a token lies across words or on none (`lenshouse annotate` counts these). Words that share a span: the first.';

CREATE TABLE annotation (
    corpus_id INTEGER PRIMARY KEY,
    source VARCHAR NOT NULL,
    version VARCHAR NOT NULL,
    language VARCHAR,
    lexicon VARCHAR,
    n_words BIGINT NOT NULL,
    annotated_at TIMESTAMP NOT NULL
);
COMMENT ON TABLE annotation IS 'One row per annotated corpus: where its words come from. A corpus has one annotation at a time.';
COMMENT ON COLUMN annotation.corpus_id IS 'The corpus (corpus.corpus_id).';
COMMENT ON COLUMN annotation.source IS 'gold (CoNLL-U or .conllulex), split (words by white space and punctuation, nothing else known), or spacy: and the pipeline''s name.';
COMMENT ON COLUMN annotation.version IS 'Version of the pipeline and of spaCy, SHA-256 of a gold file''s content, or Lenshouse and its version for split.';
COMMENT ON COLUMN annotation.language IS 'Language code that word frequencies were looked up in; NULL when none were.';
COMMENT ON COLUMN annotation.lexicon IS 'Name and SHA-256 of the multi-word lexicon (--lexicon); NULL without one.';
COMMENT ON COLUMN annotation.n_words IS 'Rows of word that it has.';
COMMENT ON COLUMN annotation.annotated_at IS 'When it was stored, UTC.';

CREATE TABLE word (
    corpus_id INTEGER NOT NULL,
    seq_id INTEGER NOT NULL,
    word_id SMALLINT NOT NULL,
    form VARCHAR NOT NULL,
    lemma VARCHAR,
    upos VARCHAR,
    deprel VARCHAR,
    head_word_id SMALLINT,
    entity VARCHAR,
    entity_id SMALLINT,
    mwe VARCHAR,
    mwe_id SMALLINT,
    zipf REAL,
    char_start INTEGER NOT NULL,
    char_end INTEGER NOT NULL
);
COMMENT ON TABLE word IS 'One row per word of an annotated corpus, independent of any tokenizer.';
COMMENT ON COLUMN word.corpus_id IS 'The corpus (corpus.corpus_id).';
COMMENT ON COLUMN word.seq_id IS 'The sequence (sequence.seq_id).';
COMMENT ON COLUMN word.word_id IS 'Number of the word in its sequence, from 0.';
COMMENT ON COLUMN word.form IS 'The word as the annotation spells it.';
COMMENT ON COLUMN word.lemma IS 'Its lemma; NULL when unknown.';
COMMENT ON COLUMN word.upos IS 'Universal part of speech; NULL when unknown.';
COMMENT ON COLUMN word.deprel IS 'Relation to its head, in the annotation''s own labels (UD in gold; a spaCy pipeline''s own); NULL when unknown.';
COMMENT ON COLUMN word.head_word_id IS 'Its syntactic head (word_id in the same sequence); NULL for a root, when unknown, and when the head was cut off.';
COMMENT ON COLUMN word.entity IS 'Type of the named entity that the word is in; NULL when in none.';
COMMENT ON COLUMN word.entity_id IS 'Number of the entity in the sequence, from 0; words of one entity share it.';
COMMENT ON COLUMN word.mwe IS 'Kind of the multi-word expression that the word is in: gold lexical category, particle_verb or lexicon; NULL when in none.';
COMMENT ON COLUMN word.mwe_id IS 'Number of the expression in the sequence, from 0; its words share it, neighbours or not.';
COMMENT ON COLUMN word.zipf IS 'Zipf frequency of the form (log10 of occurrences per billion words, wordfreq); NULL when not looked up.';
COMMENT ON COLUMN word.char_start IS 'First character of the word in sequence.text, from 0. Words that do not spell their multiword token (au: à, le) share its span; where a text was cut or split inside a word, what is left of it.';
COMMENT ON COLUMN word.char_end IS 'Character after the word''s last one in sequence.text.';

CREATE TABLE pair_pattern (
    corpus_id INTEGER NOT NULL,
    tokenizer_id INTEGER NOT NULL,
    seq_id INTEGER NOT NULL,
    query SMALLINT NOT NULL,
    key SMALLINT NOT NULL,
    pattern VARCHAR NOT NULL,
    relation VARCHAR,
    query_is_head BOOLEAN
);
COMMENT ON TABLE pair_pattern IS 'One row per token pair of two positions and linguistic pattern that holds for it; several may hold. Both directions are rows; a pair without a row is in no pattern.';
COMMENT ON COLUMN pair_pattern.corpus_id IS 'The corpus (corpus.corpus_id).';
COMMENT ON COLUMN pair_pattern.tokenizer_id IS 'The tokenizer (tokenizer.tokenizer_id).';
COMMENT ON COLUMN pair_pattern.seq_id IS 'The sequence (sequence.seq_id).';
COMMENT ON COLUMN pair_pattern.query IS 'Position that receives, from 0 (token.pos).';
COMMENT ON COLUMN pair_pattern.key IS 'Position that contributes, from 0 (token.pos); never the query.';
COMMENT ON COLUMN pair_pattern.pattern IS 'subword: two pieces of one word; compound: words that a compound relation joins; mwe, entity: two words of one expression or entity; same_token: one vocabulary item at two positions; same_lemma: two words of one lemma; head_dependent: a word and its syntactic head; adjacent: neighbours, neither special; punct: either is punctuation; special: either is special.';
COMMENT ON COLUMN pair_pattern.relation IS 'head_dependent and compound: the dependent''s relation (word.deprel); mwe: the expression''s kind; entity: its type; NULL otherwise.';
COMMENT ON COLUMN pair_pattern.query_is_head IS 'head_dependent and compound: true when the query''s word is the head; NULL otherwise.';
