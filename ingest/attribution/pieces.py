"""The norm of every token-pair piece at every stage of a layer, block by block over keys.

Nothing of size (H, T, T, d) or (T, T, dff) is held. A key j has H + 1 basis vectors, its transformed values
f^h(x_j), h = 1..H, and x_j itself; the piece of pair (i, j) is a combination of them with coefficients
c_ij = (alpha^1_ij .. alpha^H_ij, [i = j]). Therefore

- up to the norm that FF reads, a piece's norm is a quadratic form of c_ij in the key's Gram matrix (float64: exact
  under cancellation between heads);
- through FF, with the mean slope r_i of the activation, a piece is ((c_ij P_j) * r_i) W_out, P_j the basis in
  pre-activation space; the product with W_out is nearly all the work and runs over about `rows` pairs at a time.

Method: Kobayashi et al. 2020 (eq. 3), 2021 (eq. 9), 2024 (section 3); the factorisation is ours.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from ingest.attribution.states import LayerStates
from ingest.attribution.weights import FoldedLayer

DEVICE_ROWS = {"cpu": 1_024, "cuda": 65_536}
"""Pairs a matrix product takes at once: large enough for full speed; on a CPU small enough to stay in cache."""

BASIS_BYTES = 48 * 2**20
"""Bound on the bases of the keys in pre-activation space that are held at once."""


@dataclass(frozen=True)
class Pieces:
    """What is kept of a layer's pieces.

    Maps are (B, Q, K) norms of pieces after each component; `diag_*` (B, T, d) are the pieces v_ii themselves;
    `sum_total` (B, T, d) is the sum over keys of the pieces of `total`, added up from the very pieces measured.
    """

    attn: Tensor
    attn_norm: Tensor
    atb: Tensor
    after_ff: Tensor
    after_res: Tensor
    after_ln: Tensor
    diag_atb: Tensor
    diag_ff: Tensor
    diag_total: Tensor
    diag_ln: Tensor
    sum_total: Tensor


@dataclass(frozen=True)
class Block:
    """Sequences `batch`, keys `keys`, and the queries from the first that sees any of them."""

    batch: slice
    keys: slice
    queries: slice


def layer_pieces(
    alpha: Tensor, states: LayerStates, layer: FoldedLayer, *, is_causal: bool, rows: int = DEVICE_ROWS["cpu"]
) -> Pieces:
    """Norms of all pieces of one layer for B sequences of one length.

    Args: alpha (B, H, Q, K); where `is_causal`, keys after the query must have weight 0 and are skipped.
    """
    n_batch, n_head, n_pos, _ = alpha.shape
    d_model, d_ff = layer.weights.w_out.shape[1], layer.weights.w_out.shape[0]
    by_key = {
        name: alpha.new_zeros(n_batch, n_pos, n_pos)
        for name in ("attn_norm", "atb", "after_ff", "after_res", "after_ln")
    }
    diag = {name: alpha.new_empty(n_batch, n_pos, d_model) for name in ("atb", "ff", "total", "ln")}
    sum_total = alpha.new_zeros(n_batch, n_pos, d_model)

    per_key = (n_head + 1) * d_ff * alpha.element_size()
    for bases in _base_blocks(n_batch, n_pos, max(1, BASIS_BYTES // per_key)):
        basis = _KeyBasis.of(states, layer, bases.batch, bases.keys)
        for block in _pair_blocks(bases, n_pos, rows, is_causal):
            _measure_block(block, bases, basis, alpha, states, layer, by_key, diag, sum_total)

    maps = {name: by_key[name].transpose(1, 2) for name in by_key}
    return Pieces(
        attn=alpha.mean(1),
        **maps,
        **{f"diag_{name}": diag[name] for name in diag},
        sum_total=sum_total,
    )


@dataclass(frozen=True)
class _KeyBasis:
    """Basis vectors of b sequences' keys: heads first, the residual last."""

    raw: Tensor  # (b, k, H + 1, d): f^h(x_j), x_j
    read: Tensor  # (b, k, H + 1, d): the same through ln_read, before division by s(y)
    hidden: Tensor  # (b, k, H + 1, dff): the same in pre-activation space
    gram_raw: Tensor  # (b, k, H + 1, H + 1), float64
    gram_read: Tensor  # (b, k, H + 1, H + 1), float64

    @classmethod
    def of(cls, states: LayerStates, layer: FoldedLayer, batch: slice, keys: slice) -> "_KeyBasis":
        values = states.values[batch, keys]
        x = states.x[batch, keys]
        b, k, n_head, _ = values.shape
        by_head = values.flatten(0, 1).transpose(0, 1)  # (H, b * k, dh)
        raw = values.new_empty(b, k, n_head + 1, x.shape[-1])
        hidden = values.new_empty(b, k, n_head + 1, layer.w_res_in.shape[1])
        flat_raw, flat_hidden = raw.flatten(0, 1), hidden.flatten(0, 1)
        for h in range(n_head):
            torch.mm(by_head[h], layer.w_o[h], out=flat_raw[:, h])
            torch.mm(by_head[h], layer.w_o_in[h], out=flat_hidden[:, h])
        raw[:, :, n_head] = x
        torch.mm(x.flatten(0, 1), layer.w_res_in, out=flat_hidden[:, n_head])
        read = layer.ln_read.linear(raw)
        return cls(raw, read, hidden, _gram(raw), _gram(read))

    def at(self, batch: slice, keys: slice) -> "_KeyBasis":
        part = (batch, keys)
        return _KeyBasis(self.raw[part], self.read[part], self.hidden[part], self.gram_raw[part], self.gram_read[part])


def _gram(vectors: Tensor) -> Tensor:
    v64 = vectors.double()
    return v64 @ v64.transpose(-1, -2)


def _base_blocks(n_batch: int, n_pos: int, n_keys: int) -> Iterator[Block]:
    """Whole sequences while they fit into `n_keys` keys, else stretches of one sequence's keys."""
    everyone = slice(0, n_pos)
    step_b = max(1, n_keys // n_pos)
    step_k = min(n_pos, n_keys)
    for b in range(0, n_batch, step_b):
        for k in range(0, n_pos, step_k):
            yield Block(slice(b, min(b + step_b, n_batch)), slice(k, min(k + step_k, n_pos)), everyone)


def _pair_blocks(bases: Block, n_pos: int, rows: int, is_causal: bool) -> Iterator[Block]:
    """Blocks of about `rows` pairs. Causal blocks take few keys of many sequences, to skip what is masked."""
    n_batch = bases.batch.stop - bases.batch.start
    most_keys = max(1, n_pos // 8) if is_causal else n_pos
    k = bases.keys.start
    while k < bases.keys.stop:
        first = k if is_causal else 0
        n_query = n_pos - first
        n_keys = min(most_keys, max(1, rows // n_query), bases.keys.stop - k)
        step_b = max(1, rows // (n_query * n_keys))
        for b in range(0, n_batch, step_b):
            start = bases.batch.start + b
            yield Block(slice(start, min(start + step_b, bases.batch.stop)), slice(k, k + n_keys), slice(first, n_pos))
        k += n_keys


def _measure_block(
    block: Block,
    bases: Block,
    basis: _KeyBasis,
    alpha: Tensor,
    states: LayerStates,
    layer: FoldedLayer,
    by_key: dict[str, Tensor],
    diag: dict[str, Tensor],
    sum_total: Tensor,
) -> None:
    """Fill the maps of one block (b, k, q), and what the measures need of its pieces."""
    batch, keys, queries = block.batch, block.keys, block.queries
    local = basis.at(
        slice(batch.start - bases.batch.start, batch.stop - bases.batch.start),
        slice(keys.start - bases.keys.start, keys.stop - bases.keys.start),
    )
    n_keys = keys.stop - keys.start
    nth_key = torch.arange(n_keys, device=alpha.device)
    own_query = nth_key + (keys.start - queries.start)

    c = _coefficients(alpha[batch, :, queries, keys], nth_key, own_query)
    scale = _power_of_two(c)  # (b, k, q, 1)
    c /= scale
    s_read = states.s_read[batch, None, queries]  # (b, 1, q, 1)
    c_read = c / s_read

    def put(name: str, norms: Tensor) -> None:
        by_key[name][batch, keys, queries] = norms.to(alpha.dtype) * scale.squeeze(-1)

    def keep_diagonal(name: str, pieces: Tensor) -> None:
        diag[name][batch, keys] = pieces[:, nth_key, own_query]

    c64 = c.double()
    put("attn_norm", _quadratic_norm(c64[..., :-1], local.gram_raw[..., :-1, :-1]))
    norm_read = _quadratic_norm(c64, local.gram_read) / s_read.squeeze(-1)
    norm_y = norm_read if layer.is_post else _quadratic_norm(c64, local.gram_raw)
    put("atb", norm_y)

    b, k, q, _ = c.shape
    hidden = torch.bmm(c_read.flatten(0, 1), local.hidden.flatten(0, 1)).view(b, k, q, -1)
    hidden *= states.slope[batch, None, queries]
    pieces = (hidden.flatten(0, 2) @ layer.weights.w_out).view(b, k, q, -1)
    put("after_ff", torch.linalg.vector_norm(pieces, dim=-1))
    keep_diagonal("ff", pieces)

    c_res, basis_res = (c_read, local.read) if layer.is_post else (c, local.raw)
    flat = pieces.flatten(0, 1)
    flat.baddbmm_(c_res.flatten(0, 1), basis_res.flatten(0, 1))
    put("after_res", torch.linalg.vector_norm(pieces, dim=-1))
    keep_diagonal("total", pieces)
    sum_total[batch, queries] += (pieces * scale).sum(1)

    own = c[:, nth_key, own_query].unsqueeze(-2)  # (b, k, 1, H + 1)
    own_read = (own / states.s_read[batch, keys].unsqueeze(-1) @ local.read).squeeze(-2)
    own_raw = (own @ local.raw).squeeze(-2)
    diag["atb"][batch, keys] = own_read if layer.is_post else own_raw
    if states.s_out is not None:
        pieces -= pieces.mean(-1, keepdim=True)
        pieces *= layer.weights.ln_ff.gamma
        pieces /= states.s_out[batch, None, queries]
        put("after_ln", torch.linalg.vector_norm(pieces, dim=-1))
        keep_diagonal("ln", pieces)
    else:
        put("after_ln", norm_read)
        diag["ln"][batch, keys] = own_read


def _coefficients(alpha: Tensor, nth_key: Tensor, own_query: Tensor) -> Tensor:
    """alpha (b, H, q, k) -> (b, k, q, H + 1), the last column 1 where query and key are one position."""
    b, n_head, q, k = alpha.shape
    c = alpha.new_zeros(b, k, q, n_head + 1)
    c[..., :-1] = alpha.permute(0, 3, 2, 1)
    c[:, nth_key, own_query, -1] = 1.0
    return c


def _power_of_two(c: Tensor) -> Tensor:
    """The power of two within a factor of 2 of each row's largest entry: (b, k, q, n) -> (b, k, q, 1).

    Pieces are linear in c. With c divided by it, which is exact, norms of pieces with the tiniest weights neither
    underflow nor tie; where query and key are one position it is 1, for the residual's coefficient is 1.
    """
    largest = c.amax(-1, keepdim=True)
    _, exponent = torch.frexp(largest)
    return torch.where(largest > 0, torch.ldexp(torch.ones_like(largest), exponent - 1), 1.0)


def _quadratic_norm(c: Tensor, gram: Tensor) -> Tensor:
    """sqrt(c G c^T): (b, k, q, n), (b, k, n, n) -> (b, k, q)."""
    return (c @ gram).mul_(c).sum(-1).clamp_min_(0).sqrt_()
