"""One file per model family. Every module here without a leading underscore is a family: nothing registers it.

To add one, copy the nearest file, name its `model_types`, say where its parameters lie, and give a tiny configuration;
every test that is parametrised over `families()` then runs on it.
"""

import difflib
import importlib
import pkgutil
from functools import cache

from transformers import PretrainedConfig

from ingest.architectures._family import Family
from warehouse.errors import ModelError

__all__ = ["Family", "families", "family_of"]


@cache
def families() -> dict[str, Family]:
    """Every known family by name."""
    found = {}
    for module in pkgutil.iter_modules(__path__):
        if not module.name.startswith("_"):
            family: Family = importlib.import_module(f"{__name__}.{module.name}").FAMILY
            found[family.name] = family
    return found


def family_of(config: PretrainedConfig) -> Family:
    """The family that claims a configuration, having checked that it can be attributed exactly.

    Raises ModelError for an unknown architecture, naming the nearest known ones, and for a known one with an option
    that the decomposition does not hold for.
    """
    by_type = {model_type: family for family in families().values() for model_type in family.model_types}
    family = by_type.get(config.model_type)
    if family is None:
        near = difflib.get_close_matches(str(config.model_type), by_type, n=3, cutoff=0.4)
        hint = f"nearest: {', '.join(near)}; " if near else ""
        msg = (
            f"no family claims the architecture '{config.model_type}' ({hint}known: {', '.join(sorted(by_type))}); "
            "README shows how to add one"
        )
        raise ModelError(msg)
    if getattr(config, "add_cross_attention", False):
        msg = f"'{config.model_type}' with cross-attention is not supported: its layers read a second sequence"
        raise ModelError(msg)
    family.check(config)
    return family
