"""Memory that blocks, layers and batches compute in one after another."""

import math

import torch
from torch import Tensor


class Workspace:
    """Named buffers that grow to the largest use and are then used again.

    Fresh memory costs a page fault every 4 KiB, which took a tenth of the time of a layer. What `take` returns holds
    anything at first, and is the caller's until the same name is taken again.
    """

    def __init__(self) -> None:
        self._buffers: dict[tuple[str, torch.dtype, torch.device], Tensor] = {}

    def take(self, name: str, shape: tuple[int, ...], like: Tensor, dtype: torch.dtype | None = None) -> Tensor:
        """A contiguous tensor of `shape`, on the device of `like` and of its dtype unless another is named."""
        key = (name, dtype or like.dtype, like.device)
        size = math.prod(shape)
        if key not in self._buffers or self._buffers[key].numel() < size:
            self._buffers.pop(key, None)  # freed before the larger one is allocated
            self._buffers[key] = torch.empty(size, dtype=key[1], device=like.device)
        return self._buffers[key][:size].view(shape)
