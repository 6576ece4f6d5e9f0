"""Memory that is used again must not carry anything over."""

import torch

from ingest.attribution.layer import attribute_layer
from ingest.attribution.weights import fold
from ingest.attribution.workspace import Workspace
from tests.ingest.attribution.support import assert_same
from tests.ingest.attribution.test_pieces import random_layer


def test_a_buffer_grows_and_is_used_again():
    space, like = Workspace(), torch.zeros(1)
    first = space.take("a", (4, 5), like)
    assert first.shape == (4, 5) and first.dtype == torch.float32 and first.is_contiguous()
    assert space.take("a", (3, 2), like).data_ptr() == first.data_ptr()
    assert space.take("b", (3, 2), like).data_ptr() != first.data_ptr()
    assert space.take("a", (4, 5), like, torch.float64).dtype == torch.float64
    assert space.take("a", (4, 6), like).shape == (4, 6)


def test_layers_that_share_memory_are_as_alone():
    """Layers of several shapes one after another, buffers full of NaN in between: to the last bit."""
    generator = torch.Generator().manual_seed(0)
    space = Workspace()
    for placement, n_head, d, d_ff, n_batch, n_pos in (
        ("post_ln", 3, 24, 40, 2, 17),
        ("pre_ln", 2, 16, 56, 3, 5),
        ("post_ln", 4, 32, 24, 1, 23),
        ("pre_ln", 3, 24, 40, 2, 1),
    ):
        layer = fold(random_layer(placement, n_head, d, d_ff))
        x = torch.randn(n_batch, n_pos, d, generator=generator)
        alpha = torch.randn(n_batch, n_head, n_pos, n_pos, generator=generator).tril().softmax(-1).tril()
        special = torch.zeros(n_batch, n_pos, dtype=torch.bool)
        alone, shared = (
            attribute_layer(x, alpha, x, special, layer, is_causal=placement == "pre_ln", space=memory)
            for memory in (None, space)
        )
        for name, values in shared.maps.items():
            assert torch.equal(values, alone.maps[name]), name
        assert_same(shared, alone, 0.0)
        for buffer in space._buffers.values():
            buffer.fill_(torch.nan)
