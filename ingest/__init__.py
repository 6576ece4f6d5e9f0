"""From models and corpora to exact token-pair attributions.

    from ingest import attribute
    frames = attribute(model, tokenizer, ["A sentence.", "Another one."])
    frames.token_pair

The names below are imported when they are first used: `lenshouse sql` starts without torch.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ingest.notebook import Attributions, attribute

__all__ = ["Attributions", "attribute"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from ingest import notebook

        return getattr(notebook, name)
    msg = f"module 'ingest' has no attribute '{name}'"
    raise AttributeError(msg)
