"""`doctor --model`: sound models pass every check, a wrong reading of one does not."""

import dataclasses
import json

import pytest
import torch
from scipy.stats import spearmanr

from ingest.architectures import families
from ingest.attribution.weights import LayerWeights
from ingest.examine import examine
from ingest.models import load_model
from ingest.probe import map_error, map_spearman
from tests.ingest.tiny import lenshouse, save

CHECKS = (
    "pieces sum to the model's state",
    "batched with others against alone",
    "padded on the left against on the right",
    "eager attention against the model's default",
    "float32 against bfloat16",
    "float32 against bfloat16: least Spearman",
)


@pytest.mark.parametrize("name", sorted(families()))
def test_every_family_passes(name, tmp_path):
    checks = list(examine(*load_model(str(save(tmp_path / name, name)))))
    assert tuple(dict.fromkeys(check.check for check in checks)) == CHECKS
    assert [check.where for check in checks[:3]] == ["layer 1", "layer 2", "layer 3"]
    assert all(check.worst <= check.bound for check in checks if check.verdict == "ok")
    verdicts = {check.check: check.verdict for check in checks}
    assert verdicts.pop(CHECKS[2]) == ("ok" if families()[name].left_padding else "left out")
    assert verdicts.pop(CHECKS[3]) == ("left out" if name in ("gemma2", "gpt_neo", "mpnet") else "ok")
    assert set(verdicts.values()) == {"ok", "measured"}
    assert 1e-4 < checks[-2].worst < 1
    assert checks[-1].worst > 0.9


def test_a_wrong_reading_shows(tmp_path, monkeypatch):
    """A family that takes the wrong norm for the feed-forward block: the sums do not fit, and the exit code says so."""
    family = type(families()["gpt2"])
    right = family.weights

    def wrong(self, layer, config) -> LayerWeights:
        weights = right(self, layer, config)
        return dataclasses.replace(weights, ln_ff=weights.ln_attn)

    monkeypatch.setattr(family, "weights", wrong)
    folder = save(tmp_path / "model", "gpt2")
    failed = [check for check in examine(*load_model(str(folder))) if check.verdict == "FAILED"]
    assert [check.where for check in failed] == ["layer 1", "layer 2", "layer 3"]
    done = lenshouse("doctor", "--model", folder)
    assert done.code == 1
    assert done.err.count("\n") == 1
    assert "3 of" in done.err and "layer 1" in done.err and "report" in done.err


def test_the_table_and_its_json(tmp_path):
    folder = save(tmp_path / "model", "llama")
    done = lenshouse("doctor", "--model", folder)
    assert (done.code, done.err) == (0, "")
    assert "model_type llama, placement pre_ln, component_order LN,FF,RES" in done.out
    assert all(check in done.out for check in CHECKS)
    rows = json.loads(lenshouse("doctor", "--model", folder, "--json").out)
    assert [row["verdict"] for row in rows].count("ok") == 6
    half = json.loads(lenshouse("doctor", "--model", folder, "--dtype", "bfloat16", "--json").out)
    assert half[-1]["check"] == "bfloat16 against float32: least Spearman"


def test_map_error_is_of_the_rows_largest():
    one = torch.tensor([[[4.0, 1.0], [0.0, 0.0]]])
    other = torch.tensor([[[4.0, 2.0], [0.5, 0.0]]])
    assert map_error(one, other) == 0.5
    assert map_error(one, torch.tensor([[[4.0, 2.0], [0.0, 0.0]]])) == 0.25


@pytest.mark.parametrize("is_causal", [False, True])
def test_map_spearman_is_scipys(is_causal):
    one, other = torch.rand(2, 1, 6, 6, generator=torch.Generator().manual_seed(0))
    chosen = torch.ones(6, 6).tril().bool() if is_causal else torch.ones(6, 6).bool()
    expected = spearmanr(one[0][chosen], other[0][chosen]).statistic
    assert map_spearman(one, other, is_causal=is_causal) == pytest.approx(expected, abs=1e-12)
    assert torch.isnan(torch.tensor(map_spearman(one[:, :1, :1], other[:, :1, :1], is_causal=is_causal)))
