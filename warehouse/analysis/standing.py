"""How the stored analysis stands to the stored runs: what is missing or stale, and what cannot be computed and why."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from warehouse import connect, sqlfiles
from warehouse.analysis.part import Options
from warehouse.analysis.runner import wanted
from warehouse.paths import warehouse_path


@dataclass
class Standing:
    """`pending` names (part, subject) that `analyze` would compute; `impossible` adds why it would not; `notes` are
    caveats, each once."""

    pending: list[tuple[str, str]] = field(default_factory=list)
    impossible: list[tuple[str, str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def standing(
    path: str | Path | None,
    runs: Sequence[int],
    *,
    wait: float = connect.READER_WAIT,
    memory: str | None = None,
) -> Standing:
    """What `analyze` would say about these runs (ids) and no others; nothing is computed.

    What is stored counts with the seed and the resamples that it was made with.
    """
    found = Standing()
    with connect.read(warehouse_path(path), wait, memory=memory) as con:
        for part in wanted(con):
            rows = con.execute(sqlfiles.query("analysis/stored_options"), {"part": part.name}).fetchall()
            stored = {subject: (fingerprint, Options(*drawn)) for subject, fingerprint, *drawn in rows}
            for subject in part.subjects(con):
                if not subject.runs <= set(runs):
                    continue
                if subject.missing:
                    found.impossible.append((part.name, subject.title, subject.missing))
                    continue
                if subject.note and subject.note not in found.notes:
                    found.notes.append(subject.note)
                fingerprint, options = stored.get(subject.name, (None, Options()))
                if fingerprint != part.fingerprint(subject, options):
                    found.pending.append((part.name, subject.title))
    return found
