"""The last layers of one model on the first layers of another, through the vocabulary that both have (Dar et al. 2023).

A state x of A is read as vocabulary, x E_A, and written as a state of B with the pseudo-inverse, x E_A E_B^+. Row
vectors; E_A (d_a, V) and E_B (d_b, V) hold an item's embedding in a column, as in the paper. All in double precision.
"""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

RCOND = 1e-10
"""Singular values below this share of the largest count as zero: directions in which no item's embedding differs."""


def translation(rows_a: Tensor, rows_b: Tensor) -> Tensor:
    """The kernel E_A E_B^+, (d_a, d_b) float64, from embeddings with an item in a row: (V, d_a) and (V, d_b).

    No V x V matrix is formed: with the thin decomposition rows_b = U S W^T the pseudo-inverse of E_B = rows_b^T is
    U S^-1 W^T, so the kernel is rows_a^T U S^-1 W^T.
    Invariant: it is the identity where both are one matrix of full column rank, and T for rows_b = rows_a T with T
    orthogonal. Source: Dar et al. 2023, section 4.3.
    """
    u, s, wt = torch.linalg.svd(rows_b.double(), full_matrices=False)
    kept = s > RCOND * s[0]
    return (rows_a.double().T @ u[:, kept] / s[kept]) @ wt[kept]


def random_kernel(kernel: Tensor, generator: torch.Generator) -> Tensor:
    """A matrix of independent normal numbers in the shape of a kernel and of its Frobenius norm: the baseline that
    keeps the scale and nothing else. (Ours.)"""
    drawn = torch.randn(kernel.shape, generator=generator, dtype=torch.float64).to(kernel.device)
    return drawn * (kernel.norm() / drawn.norm())


def predictions(logits: Tensor) -> Tensor:
    """(B, n_classes) -> (B,): the class of the largest logit, the first of them where several are."""
    return logits.argmax(-1)


def stitched_predictions(
    states: Sequence[Tensor], kernels: Sequence[Tensor], finish: Callable[[int, Tensor], Tensor]
) -> Tensor:
    """What B's last layers make of A's states at every cut, under every kernel: (L + 1, kernels, B) class ids.

    Args: states, of A after 0, 1, ..., L layers, (B, T, d_a) each. kernels (d_a, d_b). finish gives the logits
    (B, n_classes) of B from the layer after a cut on, told the cut and the states (B, T, d_b) there.
    """
    return torch.stack(
        [
            torch.stack([predictions(finish(cut, (state.double() @ kernel).to(state.dtype))) for kernel in kernels])
            for cut, state in enumerate(states)
        ]
    )
