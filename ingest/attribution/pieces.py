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

from dataclasses import dataclass

import torch
from torch import Tensor

from ingest.attribution.bases import Block, KeyBasis, basis_blocks, pair_blocks
from ingest.attribution.states import LayerStates
from ingest.attribution.weights import FoldedLayer
from ingest.attribution.workspace import Workspace

DEVICE_ROWS = {"cpu": 1_280, "cuda": 65_536}
"""Pairs a matrix product takes at once: large enough for full speed; on a CPU small enough to stay in cache."""


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


def layer_pieces(
    alpha: Tensor,
    states: LayerStates,
    layer: FoldedLayer,
    *,
    is_causal: bool,
    rows: int = DEVICE_ROWS["cpu"],
    space: Workspace | None = None,
) -> Pieces:
    """Norms of all pieces of one layer for B sequences of one length.

    Args: alpha (B, H, Q, K); where `is_causal`, keys after the query must have weight 0 and are skipped; `space`,
    memory to compute in that another layer may have used.
    """
    n_batch, n_head, n_pos, _ = alpha.shape
    bytes_per_key = (n_head + 1) * layer.weights.w_out.shape[0] * alpha.element_size()
    work = _Work.empty(alpha, states, layer, space or Workspace())
    for outer in basis_blocks(n_batch, n_pos, bytes_per_key):
        basis = KeyBasis.of(states, layer, outer, work.space)
        for block in pair_blocks(outer, n_pos, rows, is_causal=is_causal):
            work.measure(block, basis.at(block.within(outer)))
    maps = {name: by_key.transpose(1, 2) for name, by_key in work.by_key.items()}
    diagonals = {f"diag_{name}": own for name, own in work.diag.items()}
    return Pieces(attn=alpha.mean(1), sum_total=work.sum_total, **maps, **diagonals)


@dataclass(frozen=True)
class _Work:
    """A layer's results as they fill up."""

    alpha: Tensor
    states: LayerStates
    layer: FoldedLayer
    space: Workspace
    by_key: dict[str, Tensor]  # (B, K, Q)
    diag: dict[str, Tensor]  # (B, T, d)
    sum_total: Tensor  # (B, T, d)

    @classmethod
    def empty(cls, alpha: Tensor, states: LayerStates, layer: FoldedLayer, space: Workspace) -> "_Work":
        n_batch, _, n_pos, _ = alpha.shape
        d_model = layer.weights.w_out.shape[1]
        maps = ("attn_norm", "atb", "after_ff", "after_res", "after_ln")
        return cls(
            alpha=alpha,
            states=states,
            layer=layer,
            space=space,
            by_key={name: alpha.new_zeros(n_batch, n_pos, n_pos) for name in maps},
            diag={name: alpha.new_empty(n_batch, n_pos, d_model) for name in ("atb", "ff", "total", "ln")},
            sum_total=alpha.new_zeros(n_batch, n_pos, d_model),
        )

    def measure(self, block: Block, basis: KeyBasis) -> None:
        """Fill the maps of one block (b, k, q), and what the measures need of its pieces."""
        layer, states = self.layer, self.states
        batch, keys, queries = block.batch, block.keys, block.queries
        own = keys.start - queries.start  # the query that is the first key itself
        c = _coefficients(self.alpha[batch, :, queries, keys], own)
        scale = _power_of_two(c)  # (b, k, q, 1)
        c /= scale
        b, k, q, _ = c.shape
        s_read = states.s_read[batch, None, queries]  # (b, 1, q, 1)
        c_read = c / s_read

        def put(name: str, norms: Tensor) -> None:
            self.by_key[name][batch, keys, queries] = norms.to(scale.dtype) * scale.squeeze(-1)

        c64 = c.double()
        put("attn_norm", _quadratic_norm(c64[..., :-1], basis.gram_raw[..., :-1, :-1]))
        norm_read = _quadratic_norm(c64, basis.gram_read) / s_read.squeeze(-1)
        put("atb", norm_read if layer.is_post else _quadratic_norm(c64, basis.gram_raw))

        d_ff, d_model = layer.weights.w_out.shape
        hidden = self.space.take("hidden", (b * k, q, d_ff), c)
        torch.bmm(c_read.flatten(0, 1), basis.hidden.flatten(0, 1), out=hidden)
        hidden.unflatten(0, (b, k)).mul_(states.slope[batch, None, queries])
        pieces = self.space.take("pieces", (b, k, q, d_model), c)
        torch.mm(hidden.flatten(0, 1), layer.weights.w_out, out=pieces.flatten(0, 2))
        put("after_ff", torch.linalg.vector_norm(pieces, dim=-1))
        self.diag["ff"][batch, keys] = _own(pieces, own)

        c_res, basis_res = (c_read, basis.read) if layer.is_post else (c, basis.raw)
        pieces.flatten(0, 1).baddbmm_(c_res.flatten(0, 1), basis_res.flatten(0, 1))
        put("after_res", torch.linalg.vector_norm(pieces, dim=-1))
        self.diag["total"][batch, keys] = _own(pieces, own)
        for nth in range(k):
            self.sum_total[batch, queries].addcmul_(pieces[:, nth], scale[:, nth])

        own_read = (_own(c_read, own).unsqueeze(-2) @ basis.read).squeeze(-2)
        own_raw = (_own(c, own).unsqueeze(-2) @ basis.raw).squeeze(-2)
        self.diag["atb"][batch, keys] = own_read if layer.is_post else own_raw
        if states.s_out is None:
            put("after_ln", norm_read)
            self.diag["ln"][batch, keys] = own_read
        else:
            layer.weights.ln_ff.linear(pieces, out=pieces)
            s_out = states.s_out[batch, None, queries].squeeze(-1)
            put("after_ln", torch.linalg.vector_norm(pieces, dim=-1) / s_out)
            self.diag["ln"][batch, keys] = _own(pieces, own) / states.s_out[batch, keys]


def _own(pieces: Tensor, own: int) -> Tensor:
    """The pieces of keys at their own position, key n being query `own` + n: (b, k, q, n) -> (b, k, n)."""
    return pieces.diagonal(own, 1, 2).transpose(1, 2)


def _coefficients(alpha: Tensor, own: int) -> Tensor:
    """alpha (b, H, q, k) -> (b, k, q, H + 1), the last column 1 where query and key are one position."""
    b, n_head, q, k = alpha.shape
    c = alpha.new_zeros(b, k, q, n_head + 1)
    c[..., :-1] = alpha.permute(0, 3, 2, 1)
    _own(c, own)[..., -1] = 1.0
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
