"""Small models of our own: trained here on film reviews, stored with the package, each with the record of its training.

They exist so that what needs several seeds or sizes of a model works without a download. `path_of(name)` is a folder
that `--model` takes; `python -m ingest.checkpoints.train` makes them again. Those whose name ends with `-sentiment` are
classifiers, trained on from the one that the rest of the name says: is a film review fresh or rotten? All are test
material: the masked ones did not find everything by themselves (`kindle`), and the texts of the `demo` corpus are
mostly among those they have seen; those of `demo:held-out` are not.
"""

from pathlib import Path
from typing import Final

from warehouse.errors import ModelError

STORED: Final = Path(__file__).with_name("weights")
"""One folder a checkpoint, as `save_pretrained` writes it, with a `training.json`."""


def stored_names() -> list[str]:
    """The checkpoints that are complete, in the order of their names."""
    return sorted(record.parent.name for record in STORED.glob("*/training.json"))


def path_of(name: str) -> Path:
    """The folder of a stored checkpoint; ModelError, with the names there are, for another."""
    if name not in stored_names():
        msg = f"{name}: no checkpoint of that name is stored; there are {', '.join(stored_names()) or 'none'}"
        raise ModelError(msg)
    return STORED / name
