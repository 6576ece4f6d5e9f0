"""The norm of every token-pair piece at every stage of a layer, block by block over keys.

Nothing of size (H, T, T, d) or (T, T, dff) is held. A key j has H + 1 basis vectors, its transformed values
f^h(x_j), h = 1..H, and x_j itself; the piece of pair (i, j) is a combination of them with coefficients
c_ij = (alpha^1_ij .. alpha^H_ij, [i = j]). Therefore

- up to the norm that FF reads, a piece's norm is a quadratic form of c_ij in the key's Gram matrix (float64: exact
  under cancellation between heads);
- through FF, with the mean slope r_i of the activation, a piece is ((c_ij P_j) * r_i) W_out, P_j the basis in
  pre-activation space (gated: of the gate and of up, each with its slope, added up); the product with W_out is nearly
  all the work and runs over about `rows` pairs at a time;
- where FF reads the layer's input beside attention, its pieces lie on the diagonal and no such product is needed.

Method: Kobayashi et al. 2020 (eq. 3), 2021 (eq. 9), 2024 (section 3); the factorisation is ours.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from ingest.attribution.bases import BASIS_BYTES, Block, KeyBasis, basis_blocks, pair_blocks
from ingest.attribution.outliers import gram_without, norm_without
from ingest.attribution.states import LayerStates
from ingest.attribution.weights import FoldedLayer
from ingest.attribution.workspace import Workspace

DEVICE_ROWS = {"cpu": 1_280, "cuda": 65_536}
"""Pairs a matrix product takes at once: large enough for full speed; on a CPU small enough to stay in cache."""


@dataclass(frozen=True)
class Pieces:
    """What is kept of a layer's pieces."""

    maps: dict[str, Tensor]  # name -> (B, Q, K): attn, attn_norm, and the norms of the pieces at every stage
    own: dict[str, Tensor]  # stage -> (B, T, d): the pieces v_ii themselves
    sum_total: Tensor  # (B, T, d): the sum over keys of the pieces of `total`, of the very pieces measured
    head_norm: Tensor  # (B, H, T): ||f^h(x_j)||, before any norm on attention's output
    inlier_maps: dict[str, Tensor] | None  # stage -> (B, Q, K): the layer's outlier dimensions left out


def layer_pieces(
    alpha: Tensor,
    states: LayerStates,
    layer: FoldedLayer,
    *,
    is_causal: bool,
    rows: int = DEVICE_ROWS["cpu"],
    space: Workspace | None = None,
    inliers: bool = False,
) -> Pieces:
    """Norms of all pieces of one layer for B sequences of one length.

    Args: alpha (B, H, Q, K); where `is_causal`, keys after the query must have weight 0 and are skipped; `space`,
    memory to compute in that another layer may have used; `inliers`, give the maps without the layer's outlier
    dimensions too, where it has any.
    """
    n_batch, n_head, n_pos, _ = alpha.shape
    bytes_per_key = (n_head + 1) * layer.w_res_in.shape[1] * alpha.element_size()
    work = _Work.empty(alpha, states, layer, space or Workspace(), inliers=inliers and len(layer.outliers) > 0)
    for outer in basis_blocks(n_batch, n_pos, BASIS_BYTES[alpha.device.type] // bytes_per_key):
        basis = KeyBasis.of(states, layer, outer, work.space)
        work.head_norm[outer.batch, :, outer.keys] = basis.head_norm.to(alpha.dtype).transpose(1, 2)
        for block in pair_blocks(outer, n_pos, rows, is_causal=is_causal):
            work.measure(block, basis.at(block.within(outer)))
    if layer.is_parallel:
        work.add_parallel_ff()
    maps = {name: by_key.transpose(1, 2) for name, by_key in work.by_key.items()}
    maps = {"attn": alpha.mean(1)} | maps
    inlier_maps = None
    if work.inliers_by_key is not None:
        inlier_maps = {name: by_key.transpose(1, 2) for name, by_key in work.inliers_by_key.items()}
    return Pieces(maps, work.own, work.sum_total, work.head_norm, inlier_maps)


@dataclass(frozen=True)
class _Coefficients:
    """What a block's pieces are of its bases, over a power of two each: (b, k, q, H + 1), the residual's last."""

    attn: Tensor
    raw: Tensor  # heads over the deviation of attention's output, where a norm is on it
    read: Tensor  # over the deviation of the norm that FF reads
    scale: Tensor  # (b, k, q, 1): the power of two
    first: int  # the query that is the first key itself

    @classmethod
    def of(cls, alpha: Tensor, states: LayerStates, block: Block) -> "_Coefficients":
        batch, keys, queries = block.batch, block.keys, block.queries
        first = keys.start - queries.start
        attn = _weights_and_residual(alpha[batch, :, queries, keys], first)
        scale = _power_of_two(attn)
        attn /= scale
        raw = attn
        if states.s_mixed is not None:
            raw = attn.clone()
            raw[..., :-1] /= states.s_mixed[batch, None, queries]
        read = raw if states.s_read is None else raw / states.s_read[batch, None, queries]
        return cls(attn, raw, read, scale, first)


@dataclass(frozen=True)
class _Work:
    """A layer's results as they fill up."""

    alpha: Tensor
    states: LayerStates
    layer: FoldedLayer
    space: Workspace
    by_key: dict[str, Tensor]  # (B, K, Q)
    own: dict[str, Tensor]  # (B, T, d)
    sum_total: Tensor  # (B, T, d)
    head_norm: Tensor  # (B, H, T)
    inliers_by_key: dict[str, Tensor] | None  # stage -> (B, K, Q), where asked for

    @classmethod
    def empty(
        cls, alpha: Tensor, states: LayerStates, layer: FoldedLayer, space: Workspace, *, inliers: bool
    ) -> "_Work":
        n_batch, n_head, n_pos, _ = alpha.shape
        like_states = (n_batch, n_pos, states.x.shape[-1])

        def by_key() -> Tensor:
            return alpha.new_zeros(n_batch, n_pos, n_pos)

        return cls(
            alpha=alpha,
            states=states,
            layer=layer,
            space=space,
            by_key={name: by_key() for name in ("attn_norm", *states.stages)},
            own={name: alpha.new_empty(like_states) for name in states.stages},
            sum_total=alpha.new_zeros(like_states),
            head_norm=alpha.new_empty(n_batch, n_head, n_pos),
            inliers_by_key={name: by_key() for name in states.stages} if inliers else None,
        )

    def measure(self, block: Block, basis: KeyBasis) -> None:
        """Fill the maps of one block (b, k, q), and what the measures need of its pieces."""
        c = _Coefficients.of(self.alpha, self.states, block)
        self._before_ff(block, basis, c)
        if basis.hidden is None:
            self._sum_up(block, basis, c)
        else:
            pieces = self._through_ff(block, basis.hidden, c)
            self._after_ff(block, basis, c, pieces)

    def _put(self, by_key: Tensor, block: Block, c: _Coefficients, norms: Tensor) -> None:
        by_key[block.batch, block.keys, block.queries] = norms.to(c.scale.dtype) * c.scale.squeeze(-1)

    def _measure(
        self, name: str, block: Block, c: _Coefficients, pieces: Tensor, deviation: Tensor | None = None
    ) -> None:
        """Take the norms of pieces, and the own ones; `deviation` (B, T, 1) is what they are still divided by."""
        own = _own(pieces, c.first)
        self.own[name][block.batch, block.keys] = own if deviation is None else own / deviation[block.batch, block.keys]
        by_query = 1.0 if deviation is None else deviation[block.batch, None, block.queries].squeeze(-1)
        self._put(self.by_key[name], block, c, torch.linalg.vector_norm(pieces, dim=-1) / by_query)
        if self.inliers_by_key is not None:
            self._put(self.inliers_by_key[name], block, c, norm_without(pieces, self.layer.outliers) / by_query)

    def _measure_by_gram(
        self, name: str, block: Block, c: _Coefficients, gram: Tensor, vectors: Tensor, deviation: Tensor | None = None
    ) -> None:
        """The same of pieces that are combinations of a key's vectors, by their Gram matrix."""
        coefficients = c.raw if deviation is None else c.read
        own = _own(coefficients, c.first).unsqueeze(-2) @ vectors
        self.own[name][block.batch, block.keys] = own.squeeze(-2)
        by_query = 1.0 if deviation is None else deviation[block.batch, None, block.queries].squeeze(-1)
        c64 = c.raw.double()
        self._put(self.by_key[name], block, c, _quadratic_norm(c64, gram) / by_query)
        if self.inliers_by_key is not None:
            inlier_gram = gram_without(gram, vectors, self.layer.outliers)
            self._put(self.inliers_by_key[name], block, c, _quadratic_norm(c64, inlier_gram) / by_query)

    def _before_ff(self, block: Block, basis: KeyBasis, c: _Coefficients) -> None:
        """Stages up to the norm that FF reads, by quadratic forms."""
        layer, states = self.layer, self.states
        attn_norm = _quadratic_norm(c.attn[..., :-1].double(), basis.gram_attn)
        self._put(self.by_key["attn_norm"], block, c, attn_norm)
        if not layer.is_post:
            self._measure_by_gram("atb", block, c, basis.gram_raw, basis.raw)
        if states.s_read is not None and not layer.is_parallel:
            name = "atb" if layer.is_post else "after_ln"
            self._measure_by_gram(name, block, c, basis.gram_read, basis.read, states.s_read)

    def _through_ff(self, block: Block, basis_hidden: Tensor, c: _Coefficients) -> Tensor:
        """Pieces of FF's output: (b, k, q, d), in memory that the next block uses again."""
        b, k, q, _ = c.read.shape
        d_ff, d_model = self.layer.w_out.shape
        hidden = self.space.take("hidden", (b * k, q, basis_hidden.shape[-1]), c.read)
        torch.bmm(c.read.flatten(0, 1), basis_hidden.flatten(0, 1), out=hidden)
        slope = self.states.slope[block.batch, None, block.queries]
        if self.layer.norm_within_ff and self.states.s_ff is not None:
            slope = slope / self.states.s_ff[block.batch, None, block.queries]
        hidden.unflatten(0, (b, k)).mul_(slope)
        hidden = hidden.flatten(0, 1)
        if self.layer.weights.is_gated:
            hidden = hidden[:, :d_ff].add_(hidden[:, d_ff:])
        pieces = self.space.take("pieces", (b, k, q, d_model), c.read)
        torch.mm(hidden, self.layer.w_out, out=pieces.flatten(0, 2))
        return pieces

    def _after_ff(self, block: Block, basis: KeyBasis, c: _Coefficients, pieces: Tensor) -> None:
        """Stages from FF's output on; overwrites the pieces."""
        layer, states = self.layer, self.states
        self._measure("after_ff", block, c, pieces)
        if layer.norm_after_ff and states.s_ff is not None:
            layer.norm_after_ff.linear(pieces, out=pieces)
            pieces /= states.s_ff[block.batch, None, block.queries]
            self._measure("after_ln", block, c, pieces)
        coefficients, vectors = (c.read, basis.read) if layer.is_post else (c.raw, basis.raw)
        pieces.flatten(0, 1).baddbmm_(coefficients.flatten(0, 1), vectors.flatten(0, 1))
        self._measure("after_res", block, c, pieces)
        for nth in range(pieces.shape[1]):
            self.sum_total[block.batch, block.queries].addcmul_(pieces[:, nth], c.scale[:, nth])
        if layer.norms.out is not None and states.s_out is not None:
            layer.norms.out.linear(pieces, out=pieces)
            self._measure("after_ln", block, c, pieces, states.s_out)

    def _sum_up(self, block: Block, basis: KeyBasis, c: _Coefficients) -> None:
        """Add a block's pieces of attention and residual to their sum, without holding them."""
        by_query = (c.raw * c.scale).transpose(1, 2).flatten(2)  # (b, q, k * (H + 1))
        self.sum_total[block.batch, block.queries] += by_query @ basis.raw.flatten(1, 2)

    def add_parallel_ff(self) -> None:
        """Where FF reads a position's own input, its pieces lie on the diagonal."""
        states = self.states
        self.own["after_ln"].copy_(states.after_ln.tokens)
        self.own["after_ff"].copy_(states.ff_out.tokens)
        self.own["after_res"].copy_(self.own["atb"] + states.ff_out.tokens)
        self.by_key["after_res"].copy_(self.by_key["atb"])
        for name in ("after_ln", "after_ff", "after_res"):
            self.by_key[name].diagonal(dim1=1, dim2=2).copy_(torch.linalg.vector_norm(self.own[name], dim=-1))
        if self.inliers_by_key is not None:
            self.inliers_by_key["after_res"].copy_(self.inliers_by_key["atb"])
            for name in ("after_ln", "after_ff", "after_res"):
                norms = norm_without(self.own[name], self.layer.outliers)
                self.inliers_by_key[name].diagonal(dim1=1, dim2=2).copy_(norms)
        self.sum_total.add_(states.ff_out.tokens)


def _own(pieces: Tensor, first: int) -> Tensor:
    """The pieces of keys at their own position, key n being query `first` + n: (b, k, q, n) -> (b, k, n)."""
    return pieces.diagonal(first, 1, 2).transpose(1, 2)


def _weights_and_residual(alpha: Tensor, first: int) -> Tensor:
    """alpha (b, H, q, k) -> (b, k, q, H + 1), the last column 1 where query and key are one position."""
    b, n_head, q, k = alpha.shape
    c = alpha.new_zeros(b, k, q, n_head + 1)
    c[..., :-1] = alpha.permute(0, 3, 2, 1)
    _own(c, first)[..., -1] = 1.0
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
