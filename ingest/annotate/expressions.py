"""Multi-word expressions where no gold ones are: particle verbs, and matches of a lexicon."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from ingest.annotate.lexicon import Lexicon
from ingest.annotate.words import Word

_PARTICLE: Final = frozenset({"prt", "compound:prt"})
"""The relation of a verb's particle to it: in spaCy's English pipelines, and in Universal Dependencies."""


def with_expressions(words: Sequence[Word], lexicon: Lexicon | None) -> list[Word]:
    """Words that are in none, with the expressions that relations and a lexicon show; a word is in one at most.

    Particle verbs come first; the lexicon's matches go over words that are in no particle verb.
    """
    found = [(group, "particle_verb") for group in _particle_verbs(words)]
    taken = {number for group, _ in found for number in group}
    if lexicon:
        found += [(group, "lexicon") for group in lexicon.matches(words, taken)]
    found.sort(key=lambda one: min(one[0]))
    marked = list(words)
    for mwe_id, (group, kind) in enumerate(found):
        for number in group:
            marked[number] = replace(words[number], mwe=kind, mwe_id=mwe_id)
    return marked


def _particle_verbs(words: Sequence[Word]) -> Iterable[set[int]]:
    """Each verb with its particles."""
    groups: dict[int, set[int]] = {}
    for number, word in enumerate(words):
        if word.deprel in _PARTICLE and word.head is not None:
            verb = word.head
            groups.setdefault(verb, {verb}).add(number)
    taken: set[int] = set()
    for group in groups.values():
        if not group & taken:  # a particle of a particle: the tree is odd, the first one stays
            taken |= group
            yield group
