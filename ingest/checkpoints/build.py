"""Untrained models of both kinds, and the loss that both training and evaluation take of them."""

import math
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy
from transformers import BertConfig, BertForMaskedLM, GPT2Config, GPT2LMHeadModel, PreTrainedModel

from ingest.checkpoints.batches import NO_TARGET
from ingest.checkpoints.counts import Counts
from ingest.checkpoints.kindle import kindle, sinusoids
from ingest.checkpoints.recipes import WINDOW, Kind, Recipe
from ingest.checkpoints.vocabulary import CLS, PAD, SEP


def initial_model(recipe: Recipe, counts: Counts, window: int = WINDOW) -> PreTrainedModel:
    """A model with the random weights of the recipe's seed, and position embeddings that begin as sinusoids.

    A masked model is helped over its long plateau, by `kindle`. Everything is trained on from there.
    """
    torch.manual_seed(recipe.seed)
    model: Any = _MODELS[recipe.kind](recipe, counts.vocab_size, window)
    masked = recipe.kind == "masked"
    positions = (model.bert.embeddings.position_embeddings if masked else model.transformer.wpe).weight
    with torch.no_grad():
        positions.copy_(sinusoids(*positions.shape) * recipe.init_std * math.sqrt(2))
        if masked:
            kindle(model, counts)
    return model


def _bert(recipe: Recipe, vocab_size: int, window: int) -> BertForMaskedLM:
    config = BertConfig(
        vocab_size=vocab_size,
        hidden_size=recipe.d_model,
        num_hidden_layers=recipe.n_layer,
        num_attention_heads=recipe.n_head,
        intermediate_size=recipe.d_ff,
        hidden_act="gelu",
        max_position_embeddings=window,
        type_vocab_size=2,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        initializer_range=recipe.init_std,
        pad_token_id=PAD,
    )
    return BertForMaskedLM._from_config(config, attn_implementation="sdpa")


def _gpt2(recipe: Recipe, vocab_size: int, window: int) -> GPT2LMHeadModel:
    config = GPT2Config(
        vocab_size=vocab_size,
        n_embd=recipe.d_model,
        n_layer=recipe.n_layer,
        n_head=recipe.n_head,
        n_inner=recipe.d_ff,
        n_positions=window,
        resid_pdrop=0.0,
        embd_pdrop=0.0,
        attn_pdrop=0.0,
        initializer_range=recipe.init_std,
        bos_token_id=CLS,
        eos_token_id=SEP,
        pad_token_id=PAD,
        use_cache=False,
    )
    return GPT2LMHeadModel._from_config(config, attn_implementation="sdpa")


_MODELS = {"masked": _bert, "causal": _gpt2}


def token_losses(
    model: Any, kind: Kind, inputs: Tensor, targets: Tensor, attention_mask: Tensor | None = None
) -> Tensor:
    """Nats of every position with a target, in row order: (positions,). Logits are made for those alone."""
    base = model.bert if kind == "masked" else model.transformer
    states = base(input_ids=inputs, attention_mask=attention_mask).last_hidden_state
    wanted = targets != NO_TARGET
    logits = (model.cls if kind == "masked" else model.lm_head)(states[wanted])
    return cross_entropy(logits.float(), targets[wanted], reduction="none")
