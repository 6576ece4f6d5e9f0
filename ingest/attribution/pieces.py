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

DEVICE_ROWS = {"cpu": 1_024, "cuda": 65_536}
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
    alpha: Tensor, states: LayerStates, layer: FoldedLayer, *, is_causal: bool, rows: int = DEVICE_ROWS["cpu"]
) -> Pieces:
    """Norms of all pieces of one layer for B sequences of one length.

    Args: alpha (B, H, Q, K); where `is_causal`, keys after the query must have weight 0 and are skipped.
    """
    n_batch, n_head, n_pos, _ = alpha.shape
    bytes_per_key = (n_head + 1) * layer.weights.w_out.shape[0] * alpha.element_size()
    work = _Work.empty(alpha, states, layer, rows)
    for outer in basis_blocks(n_batch, n_pos, bytes_per_key):
        basis = KeyBasis.of(states, layer, outer)
        for block in pair_blocks(outer, n_pos, rows, is_causal=is_causal):
            work.measure(block, basis.at(block.within(outer)))
    maps = {name: by_key.transpose(1, 2) for name, by_key in work.by_key.items()}
    diagonals = {f"diag_{name}": own for name, own in work.diag.items()}
    return Pieces(attn=alpha.mean(1), sum_total=work.sum_total, **maps, **diagonals)


@dataclass(frozen=True)
class _Work:
    """Results as they fill up, and the room that blocks compute in, allocated once."""

    alpha: Tensor
    states: LayerStates
    layer: FoldedLayer
    by_key: dict[str, Tensor]  # (B, K, Q)
    diag: dict[str, Tensor]  # (B, T, d)
    sum_total: Tensor  # (B, T, d)
    hidden: Tensor  # (rows, dff)
    pieces: Tensor  # (rows, d)
    spare: Tensor  # (rows, d)

    @classmethod
    def empty(cls, alpha: Tensor, states: LayerStates, layer: FoldedLayer, rows: int) -> "_Work":
        n_batch, _, n_pos, _ = alpha.shape
        d_ff, d_model = layer.weights.w_out.shape
        most_rows = min(max(rows, n_pos), n_batch * n_pos**2)
        maps = ("attn_norm", "atb", "after_ff", "after_res", "after_ln")
        return cls(
            alpha=alpha,
            states=states,
            layer=layer,
            by_key={name: alpha.new_zeros(n_batch, n_pos, n_pos) for name in maps},
            diag={name: alpha.new_empty(n_batch, n_pos, d_model) for name in ("atb", "ff", "total", "ln")},
            sum_total=alpha.new_zeros(n_batch, n_pos, d_model),
            hidden=alpha.new_empty(most_rows, d_ff),
            pieces=alpha.new_empty(most_rows, d_model),
            spare=alpha.new_empty(most_rows, d_model),
        )

    def measure(self, block: Block, basis: KeyBasis) -> None:
        """Fill the maps of one block (b, k, q), and what the measures need of its pieces."""
        layer, states = self.layer, self.states
        batch, keys, queries = block.batch, block.keys, block.queries
        nth_key = torch.arange(keys.stop - keys.start, device=self.alpha.device)
        own_query = nth_key + (keys.start - queries.start)

        c = _coefficients(self.alpha[batch, :, queries, keys], nth_key, own_query)
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

        n_rows = b * k * q
        hidden = self.hidden[:n_rows].view(b * k, q, -1)
        torch.bmm(c_read.flatten(0, 1), basis.hidden.flatten(0, 1), out=hidden)
        hidden.unflatten(0, (b, k)).mul_(states.slope[batch, None, queries])
        flat = torch.mm(hidden.flatten(0, 1), layer.weights.w_out, out=self.pieces[:n_rows])
        pieces = flat.view(b, k, q, -1)
        put("after_ff", torch.linalg.vector_norm(pieces, dim=-1))
        self.diag["ff"][batch, keys] = pieces[:, nth_key, own_query]

        c_res, basis_res = (c_read, basis.read) if layer.is_post else (c, basis.raw)
        pieces.flatten(0, 1).baddbmm_(c_res.flatten(0, 1), basis_res.flatten(0, 1))
        put("after_res", torch.linalg.vector_norm(pieces, dim=-1))
        self.diag["total"][batch, keys] = pieces[:, nth_key, own_query]
        unscaled = torch.mul(pieces, scale, out=self.spare[:n_rows].view(b, k, q, -1))
        self.sum_total[batch, queries] += unscaled.sum(1)

        own = c[:, nth_key, own_query].unsqueeze(-2)  # (b, k, 1, H + 1)
        own_read = (own / states.s_read[batch, keys].unsqueeze(-1) @ basis.read).squeeze(-2)
        self.diag["atb"][batch, keys] = own_read if layer.is_post else (own @ basis.raw).squeeze(-2)
        if states.s_out is None:
            put("after_ln", norm_read)
            self.diag["ln"][batch, keys] = own_read
        else:
            pieces -= pieces.mean(-1, keepdim=True)
            pieces *= layer.weights.ln_ff.gamma
            s_out = states.s_out[batch, None, queries].squeeze(-1)
            put("after_ln", torch.linalg.vector_norm(pieces, dim=-1) / s_out)
            self.diag["ln"][batch, keys] = pieces[:, nth_key, own_query] / states.s_out[batch, keys]


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
