"""One file per model family. Every module here without a leading underscore is a family: nothing registers it.

To add one, copy the nearest file, name its `model_types`, say where its parameters lie, and give a tiny configuration;
every test that is parametrised over `families()` then runs on it.
"""

import difflib
import importlib
import pkgutil
from functools import cache
from typing import Any

from transformers import CONFIG_MAPPING, PretrainedConfig

from ingest.architectures._encoder_layout import EncoderOfTwo
from ingest.architectures._family import Family
from warehouse.errors import ModelError

__all__ = ["Family", "families", "family_named", "family_of"]


@cache
def families() -> dict[str, Family]:
    """Every known family by name."""
    found = {}
    for module in pkgutil.iter_modules(__path__):
        if not module.name.startswith("_"):
            family: Family = importlib.import_module(f"{__name__}.{module.name}").FAMILY
            found[family.name] = family
    return found


def family_named(model_type: Any, *, needs_code: bool = False) -> Family:
    """The family that claims a configuration's `model_type`.

    Raises ModelError for an unknown architecture, naming the nearest known ones.
    """
    by_type = {known: family for family in families().values() for known in family.model_types}
    if isinstance(model_type, str) and model_type in by_type:
        return by_type[model_type]
    if _is_encoder_decoder(model_type):
        encoders = [known for known, family in by_type.items() if isinstance(family, EncoderOfTwo)]
        msg = (
            f"'{model_type}' is an encoder-decoder model, whose decoder reads a second sequence; of such models only "
            f"the encoders of {' and '.join(sorted(encoders))} are supported; README shows how to add one"
        )
        raise ModelError(msg)
    near = difflib.get_close_matches(str(model_type), by_type, n=3, cutoff=0.4)
    hint = f"nearest: {', '.join(near)}; " if near else ""
    code = "; its own code on the hub is never run" if needs_code else ""
    msg = (
        f"no family claims the architecture '{model_type}'{code} ({hint}known: {', '.join(sorted(by_type))}); "
        "README shows how to add one"
    )
    raise ModelError(msg)


def _is_encoder_decoder(model_type: Any) -> bool:
    """Whether transformers knows the architecture as an encoder with a decoder."""
    known = isinstance(model_type, str) and model_type in CONFIG_MAPPING
    return known and bool(getattr(CONFIG_MAPPING[model_type], "is_encoder_decoder", False))


def family_of(config: PretrainedConfig) -> Family:
    """The family of a configuration, having checked that its models can be attributed exactly.

    Raises ModelError as `family_named`, and for a known architecture with an option that the decomposition does not
    hold for.
    """
    family = family_named(config.model_type)
    if getattr(config, "add_cross_attention", False):
        msg = (
            f"'{config.model_type}' with cross-attention is not supported: its layers read a second sequence; "
            "use the encoder or a decoder without it"
        )
        raise ModelError(msg)
    family.check(config)
    return family
