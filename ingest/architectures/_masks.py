"""What transformers' masks let a token attend to, as its `masking_utils` build them from a configuration."""

from transformers import PretrainedConfig

from warehouse.errors import ModelError


def mask_is_causal(config: PretrainedConfig) -> bool:
    """Whether a decoder masks what follows a token; an `is_causal` of false in the configuration stops it."""
    return bool(getattr(config, "is_causal", True))


def window_reach(window: int | None, config: PretrainedConfig) -> int | None:
    """The reach of a decoder's sliding window, which counts the token itself; without a causal mask it does not."""
    if window is None:
        return None
    return window - 1 if mask_is_causal(config) else window


def check_layer_types(config: PretrainedConfig) -> None:
    """Raise ModelError for a layer that is neither full nor sliding attention."""
    known = ("full_attention", "sliding_attention")
    others = [kind for kind in config.layer_types if kind not in known]
    if others:
        msg = (
            f"'{config.model_type}' with a layer of '{others[0]}' is not supported: "
            f"layer_types in config.json may name {' and '.join(known)}"
        )
        raise ModelError(msg)
