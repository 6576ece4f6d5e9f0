"""`lenshouse annotate`: words and linguistic patterns for a corpus that the warehouse holds."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ingest.cli import options
from ingest.cli.terminal import progress, seconds, timed
from ingest.cli.text import printable
from warehouse.wording import plural

if TYPE_CHECKING:
    from ingest.annotate.job import Annotated

_NAMED = 5
"""Texts without words that are named."""


@click.command(name="annotate")
@click.argument("corpus", required=False)
@click.option(
    "--with",
    "source",
    metavar="gold|split|spacy:PIPELINE",
    required=True,
    help="A treebank's words, words by white space and punctuation, or those of an installed spaCy pipeline.",
)
@click.option(
    "--source", "treebank", metavar="FILE", help="The treebank, .conllu or .conllulex. [default: the corpus's own file]"
)
@options.words
@click.option("--replace", is_flag=True, help="Replace another annotation that the corpus has.")
@options.warehouse
@options.verbose
def command(
    corpus: str | None,
    source: str,
    treebank: str | None,
    language: str | None,
    lexicon: str | None,
    replace: bool,
    warehouse: Path,
) -> None:
    """Store the words of CORPUS (a name or an id; the only one by default) and the patterns of its token pairs.

    Stored maps are not touched, and every model's tokens get their words. A treebank's sentences are found by their ids
    and texts.

    \b
    lenshouse annotate --with spacy:en_core_web_sm --lexicon /usr/share/wordnet/index.noun
    lenshouse annotate ewt --with gold --source en_ewt-ud-dev.conllu --replace
    """
    from ingest.annotate.job import annotate, open_words
    from ingest.annotate.source import GOLD, annotator, require_source
    from warehouse import connect
    from warehouse.annotation import choose_corpus
    from warehouse.errors import UsageError

    require_source("--with", source)
    if treebank is not None and source != GOLD:
        msg = f"--source names a treebank, which --with {source} does not read: leave it out, or use --with gold"
        raise UsageError(msg)
    connect.existing(warehouse)
    connect.make_usable(warehouse)
    chosen = choose_corpus(warehouse, corpus)
    with timed() as wall, progress() as shown:
        shown.phase("reading what annotates")
        who = annotator(source, treebank or chosen.source)
        words = open_words(who, language=language or "en", lexicon=lexicon)
        outcome = annotate(warehouse, chosen, words, shown, replace=replace)
    name = f"corpus {chosen.corpus_id} ({chosen.name})"
    if outcome.state == "there already":
        _say(f"{name} has this annotation: {outcome.annotation}, {plural(outcome.n_words, 'word')}; nothing to do")
    else:
        _say(f"{name} annotated by {outcome.annotation}: {plural(outcome.n_words, 'word')} in {seconds(wall[0])}")
    tell(outcome)
    if outcome.state == "stored":
        query = "SELECT run_name, pattern, count(*) AS n FROM v_pair_pattern GROUP BY ALL"
        _say(f'  ask: lenshouse sql "{query}" --warehouse {warehouse}')
        _say(f"  next: lenshouse analyze --warehouse {warehouse}")


def tell(outcome: "Annotated") -> None:
    """What is not there, and what could not be aligned."""
    for note in outcome.notes:
        _say(f"  {note}")
    if outcome.unmatched:
        named = ", ".join(outcome.unmatched[:_NAMED]) + (", …" if len(outcome.unmatched) > _NAMED else "")
        _say(f"  {plural(len(outcome.unmatched), 'text')} not in the treebank, without words: {named}")
    for alignment in outcome.alignments:
        told = {
            "across words": alignment.n_across,
            "on no word": alignment.n_on_none,
        }
        lost = [f"{n:,} {what}" for what, n in told.items() if n]
        if alignment.n_words_without_token:
            lost.append(f"{plural(alignment.n_words_without_token, 'word')} without a token")
        how = "; ".join(lost) or "each on a word"
        _say(f"  {alignment.tokenizer_name}: {plural(alignment.n_tokens, 'token')}, {how}")


def _say(line: str) -> None:
    click.echo(printable(line))
