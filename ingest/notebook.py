"""For notebooks: a model in memory and some texts in, the warehouse's rows out, as polars frames."""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import polars as pl
from transformers import PreTrainedModel

from ingest.architectures import family_of
from ingest.attribution.states import FFBias
from ingest.compute import compute
from ingest.corpus.record import Record, require_storable
from ingest.display import readable_vocab
from ingest.model_files import check_vocabulary
from ingest.models import LoadedModel, dtype_of
from ingest.rows import TokenSequence
from ingest.tokens import MOST_TOKENS, Counts, TooLong, encode, token_frame
from warehouse.errors import CorpusError, LenshouseError, UsageError, require_choice, require_whole


class Attributions(NamedTuple):
    """Frames with the columns of the warehouse's tables of these names, less run_id; seq_id counts the texts from 0."""

    token_pair: pl.DataFrame
    token_norm: pl.DataFrame
    map_change: pl.DataFrame
    token: pl.DataFrame
    """With the readable form of each token in `display`."""


@contextmanager
def _without_flags() -> Iterator[None]:
    """Options in messages as Python writes them: --max-tokens is max_tokens here."""
    try:
        yield
    except LenshouseError as error:
        flag = r"--(max-tokens|too-long|ff-bias|dtype|device)\b"
        error.args = tuple(re.sub(flag, lambda m: m[1].replace("-", "_"), str(text)) for text in error.args)
        raise


@_without_flags()
def attribute(
    model: PreTrainedModel,
    tokenizer: Any,
    texts: Iterable[str],
    *,
    max_tokens: int | None = None,
    too_long: TooLong = "error",
    ff_bias: FFBias = "path",
) -> Attributions:
    """Attribute texts with a loaded transformers model, base model or with a head; no warehouse is needed.

    All rows are held in memory: about 40 bytes for each layer and token pair. The model runs where it is and in its
    own precision; it is switched to eager attention and evaluation mode meanwhile. `seq_id` counts the texts from 0;
    with too_long='chunk' it counts the chunks.

    Raises ModelError for an architecture that no family claims, UsageError for max_tokens beyond the model's positions,
    and for a model, tokenizer, options and texts of another kind, CorpusError for a text that is too long or that no
    table can hold, and for no text, NumericsError where pieces do not sum to the model's states.
    """
    require_choice("too_long", too_long, TooLong)
    require_choice("ff_bias", ff_bias, FFBias)
    _require_loaded(model, tokenizer)
    records = _records(texts)
    base: Any = model.base_model
    if base.device.type not in ("cpu", "cuda"):
        msg = f"the model is on {base.device}: move it to cpu or cuda with model.to(...)"
        raise UsageError(msg)
    family = family_of(base.config)
    check_vocabulary(tokenizer, base.config, type(model).__name__)
    longest = min(family.max_tokens(base.config), MOST_TOKENS)
    if max_tokens is None:
        max_tokens = longest
    require_whole("max_tokens", max_tokens, 1, MOST_TOKENS)
    if max_tokens > longest:
        msg = (
            f"max_tokens={max_tokens}: the model has positions for {longest} tokens: give at most that, or leave it out"
        )
        raise UsageError(msg)
    loaded = LoadedModel(
        module=base,
        family=family,
        name=type(model).__name__,
        revision=None,
        weights_sha256="",
        dtype=dtype_of(base),
        device=base.device,
        family_label=None,
        seed=None,
    )
    counts = Counts()
    encoded = list(encode(records, tokenizer, max_tokens=max_tokens, too_long=too_long, counts=counts))
    if counts.n_skipped:
        msg = f"{counts.n_skipped} of {counts.n_read} texts are empty: leave them out, so that seq_id counts your texts"
        raise UsageError(msg)
    sequences = [TokenSequence(seq_id, e.ids, e.is_special) for seq_id, e in enumerate(encoded)]
    with _observable(base):
        tables = compute(loaded, sequences, ff_bias=ff_bias).tables
    vocab = readable_vocab(tokenizer).select("token_id", "display")
    token = token_frame(encoded).join(vocab, on="token_id", how="left", maintain_order="left")
    return Attributions(tables["token_pair"], tables["token_norm"], tables["map_change"], token)


def _require_loaded(model: object, tokenizer: object) -> None:
    if not isinstance(getattr(model, "base_model", None), PreTrainedModel):
        msg = f"model is of type {type(model).__name__}: load it with transformers.AutoModel.from_pretrained(...)"
        raise UsageError(msg)
    if not hasattr(tokenizer, "get_vocab"):
        kind = type(tokenizer).__name__
        msg = f"tokenizer is of type {kind}: load it with transformers.AutoTokenizer.from_pretrained(...)"
        raise UsageError(msg)


def _records(texts: Iterable[str]) -> list[Record]:
    if isinstance(texts, str):
        msg = "texts is one string, whose letters would be the texts: give a list of texts"
        raise UsageError(msg)
    if not isinstance(texts, Iterable):
        msg = f"texts is of type {type(texts).__name__}: give a list of texts"
        raise UsageError(msg)
    records = []
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            msg = f"text {number} is of type {type(text).__name__}: give strings only"
            raise UsageError(msg)
        require_storable(text, "text", str(number), "texts")
        records.append(Record(str(text), None, str(number)))
    if not records:
        msg = "texts is empty: give at least one text"
        raise CorpusError(msg)
    return records


@contextmanager
def _observable(model: Any) -> Iterator[None]:
    """Eager attention, which shows its weights, and no dropout; both as before afterwards."""
    attention = model.config._attn_implementation
    training = [module for module in model.modules() if module.training]
    model.set_attn_implementation("eager")
    model.eval()
    try:
        yield
    finally:
        model.set_attn_implementation(attention)
        for module in training:
            module.training = True
