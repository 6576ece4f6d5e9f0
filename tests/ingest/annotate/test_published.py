"""STREUSLE and UD English EWT: words and patterns against counts that a few independent lines make of the files."""

from collections import defaultdict
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import pytest

from ingest.annotate.expressions import with_expressions
from ingest.annotate.treebank import Treebank
from ingest.annotate.words import word_frame
from tests.corpora import published
from tests.warehouse.annotated import Token, add_texts, add_tokens, add_words
from warehouse import connect
from warehouse.annotation import StoredText, texts

STREUSLE = {"dev/streusle.ud_dev.conllulex": 287, "test/streusle.ud_test.conllulex": 284}
"""Strong expressions, as MWES.txt beside each file counts them for dev."""


@dataclass
class Gold:
    """A sentence as the file's columns and the text say, every word with its characters."""

    text: str
    sent_id: str
    rows: list[list[str]]
    spans: dict[int, tuple[int, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        at, covered = 0, 0
        for row in self.rows:
            if "." in row[0] or ("-" not in row[0] and int(row[0]) <= covered):
                continue
            start = self.text.index(row[1], at)
            at = start + len(row[1])
            ids = [int(part) for part in row[0].split("-")]
            inner = start
            for number in range(ids[0], ids[-1] + 1):
                form = next(other[1] for other in self.rows if other[0] == str(number))
                self.spans[number] = (inner, inner + len(form))
                inner += len(form)
            assert inner == at, "in these treebanks the words of a multiword token spell it"
            covered = ids[-1]

    @property
    def words(self) -> list[list[str]]:
        return [row for row in self.rows if row[0].isdigit()]

    def expressions(self) -> list[list[int]]:
        """Words, from 0, of each strong expression."""
        groups = defaultdict(list)
        for number, row in enumerate(self.words):
            if row[10] != "_":
                groups[row[10].split(":")[0]].append(number)
        return list(groups.values())


def read(name: str) -> list[Gold]:
    sentences = []
    for block in published(name).read_text(encoding="utf-8").strip().split("\n\n"):
        lines = block.split("\n")
        comment = dict(line[2:].split(" = ", 1) for line in lines if line.startswith("# ") and " = " in line)
        rows = [line.split("\t") for line in lines if not line.startswith("#")]
        sentences.append(Gold(comment["text"].strip(), comment["sent_id"], rows))
    return sentences


def annotated(name: str, path: Path) -> list[Gold]:
    """A warehouse with the treebank's sentences, words, and tokens: each word, cut in two where it is long."""
    sentences = read(name)
    add_texts(path, [one.text for one in sentences], [one.sent_id for one in sentences])
    tokens = []
    for one in sentences:
        cuts = [(a, b) if b - a < 6 else (a, a + 3, b) for a, b in (one.spans[n] for n in sorted(one.spans))]
        tokens.append([Token(1, a, b) for cut in cuts for a, b in pairwise(cut)])
    add_tokens(path, 1, tokens)
    treebank = Treebank(published(name))
    found = []
    for text, words in treebank.annotate(texts(path, 1)):
        assert words is not None, text
        found.append((text.seq_id, words if treebank.has_expressions else with_expressions(words, None)))
    add_words(path, word_frame(found, None))
    return sentences


def word_pairs(path: Path, pattern: str) -> set[tuple]:
    """(sequence, query word, key word, relation, query_is_head), once each; every token of both words is in it."""
    with connect.read(path) as con:
        rows = con.execute(
            """
            WITH size AS (SELECT seq_id, word_id, count(*) AS n FROM token GROUP BY ALL)
            SELECT p.seq_id, q.word_id, k.word_id, p.relation, p.query_is_head, count(*) = any_value(a.n * b.n)
            FROM pair_pattern p
            JOIN token q ON q.seq_id = p.seq_id AND q.pos = p.query
            JOIN token k ON k.seq_id = p.seq_id AND k.pos = p.key
            JOIN size a ON a.seq_id = p.seq_id AND a.word_id = q.word_id
            JOIN size b ON b.seq_id = p.seq_id AND b.word_id = k.word_id
            WHERE p.pattern = ?
            GROUP BY ALL
            """,
            [pattern],
        ).fetchall()
    assert all(whole for *_, whole in rows)
    return {tuple(row) for *row, _ in rows}


@pytest.mark.parametrize(("name", "n"), STREUSLE.items())
def test_streusle_strong_expressions(name: str, n: int, tmp_path: Path) -> None:
    path = tmp_path / "lens.duckdb"
    sentences = annotated(f"streusle/{name}", path)
    wanted, n_expressions = set(), 0
    for seq, one in enumerate(sentences):
        for group in one.expressions():
            n_expressions += 1
            kind = one.words[group[0]][11]
            wanted |= {(seq, a, b, kind, None) for a in group for b in group if a != b}
    assert n_expressions == n
    assert word_pairs(path, "mwe") == wanted
    with connect.read(path) as con:
        [(stored, members)] = con.execute(
            "SELECT count(DISTINCT (seq_id, mwe_id)), count(*) FROM word WHERE mwe_id IS NOT NULL"
        ).fetchall()
    assert (stored, members) == (n, sum(len(group) for one in sentences for group in one.expressions()))


def test_ewt_dependencies_and_compounds(tmp_path: Path) -> None:
    path = tmp_path / "lens.duckdb"
    sentences = annotated("ud_english_ewt/en_ewt-ud-dev.conllu", path)
    pairs = [
        (seq, int(row[0]) - 1, int(row[6]) - 1, row[7])
        for seq, one in enumerate(sentences)
        for row in one.words
        if row[6] != "0"
    ]
    directed = {(seq, a, b, relation, False) for seq, a, b, relation in pairs}
    directed |= {(seq, b, a, relation, True) for seq, a, b, relation in pairs}
    assert len(directed) == 2 * 23_146, "as awk counts them"
    assert word_pairs(path, "head_dependent") == directed
    compounds = {row for row in directed if row[3].split(":")[0] == "compound"}
    assert len(compounds) == 2 * 972, "as awk counts them"
    assert word_pairs(path, "compound") == compounds
    with connect.read(path) as con:
        [counted] = con.execute(
            "SELECT count(*), count(lemma), count(upos), count(head_word_id), count(DISTINCT seq_id) FROM word"
        ).fetchall()
        verbs = con.execute("SELECT seq_id, list(word_id ORDER BY word_id) FROM word WHERE mwe = 'particle_verb' "
                            "GROUP BY seq_id, mwe_id").fetchall()  # fmt: skip
    words = [row for one in sentences for row in one.words]
    with_lemma = sum(row[2] != "_" or row[1] == "_" for row in words)
    assert counted == (len(words), with_lemma, len(words), len(pairs), len(sentences)) and len(words) == 25_147
    particles = [(seq, {a, b}) for seq, a, b, relation in pairs if relation == "compound:prt"]
    assert len(particles) > 50 and all(any(seq == s and pair <= set(g) for s, g in verbs) for seq, pair in particles)
    assert {(seq, number) for seq, group in verbs for number in group} == {
        (seq, number) for seq, pair in particles for number in pair
    }


@pytest.mark.parametrize("name", ["streusle/dev/streusle.ud_dev.conllulex", "ud_english_ewt/en_ewt-ud-test.conllu"])
def test_every_word_stands_where_the_text_has_it(name: str) -> None:
    sentences = read(name)
    stored = [(number, one.text, one.sent_id) for number, one in enumerate(sentences)]
    for one, (_, words) in zip(
        sentences, Treebank(published(name)).annotate(map(StoredText._make, stored)), strict=True
    ):
        assert words is not None
        assert [word.form for word in words] == [row[1] for row in one.words]
        assert [(word.char_start, word.char_end) for word in words] == [one.spans[n] for n in sorted(one.spans)]
