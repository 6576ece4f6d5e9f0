"""Claims about parameters, over tables filled by hand: numbers by loops, p by counting, every branch of the rules."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import warehouse
from tests.warehouse.analysis.support import shape
from tests.warehouse.conftest import House
from warehouse import connect
from warehouse.analysis.claims import Number
from warehouse.analysis.parameter_findings import CLAIMS, verdict
from warehouse.analysis.relabel import relabelled_p
from warehouse.analysis.shift_task import LEAST, MOST

BY_P = next(claim for claim in CLAIMS if claim.by_p)
BY_INTERVAL = next(claim for claim in CLAIMS if not claim.by_p)
N_LAYER = 3
LENGTHS = (40, 50, 60, 45, 55, 35)


@pytest.mark.parametrize(
    ("claim", "number", "p_value", "expected"),
    [
        (BY_INTERVAL, Number(0.1, 0.01, 0.2, 9), None, "holds"),
        (BY_INTERVAL, Number(-0.1, -0.2, -0.01, 9), None, "fails"),
        (BY_INTERVAL, Number(0.1, 0.0, 0.2, 9), None, "not enough data"),
        (BY_INTERVAL, Number(0.1, None, None, 3), None, "not enough data"),
        (BY_P, Number(0.5, None, None, 3), 0.049, "holds"),
        (BY_P, Number(0.5, None, None, 3), 0.05, "not enough data"),
        (BY_P, Number(0.0, None, None, 3), 0.001, "fails"),
        (BY_P, Number(-0.1, None, None, 3), 0.9, "fails"),
        (BY_P, Number(0.5, None, None, 3), None, "not enough data"),
        (BY_P, Number(None, None, None, 0), 0.5, "not enough data"),
    ],
)
def test_verdict(claim, number: Number, p_value: float | None, expected: str) -> None:
    assert verdict(claim, number, p_value) == expected


def assignments(rng: np.random.Generator, n_models: int, n_layer: int, n_components: int) -> pl.DataFrame:
    rows = [
        (a, b, layer + 1, int(other) + 1)
        for a, b in itertools.combinations(range(n_models), 2)
        for _ in range(n_components)
        for layer, other in enumerate(rng.permutation(n_layer))
    ]
    return pl.DataFrame(rows, schema=["model_id_a", "model_id_b", "layer_a", "layer_b"], orient="row")


@pytest.mark.parametrize("seed", range(4))
def test_own_index_p_counts_numberings(seed: int) -> None:
    frame = assignments(np.random.default_rng(seed), n_models=3, n_layer=3, n_components=2)
    counts = []
    for numbering in itertools.product(itertools.permutations(range(3)), repeat=3):  # the first one's too: no matter
        counts.append(sum(numbering[a][i - 1] == numbering[b][j - 1] for a, b, i, j in frame.iter_rows()))
    observed = sum(i == j for _, _, i, j in frame.iter_rows())
    assert relabelled_p(frame) == pytest.approx(sum(count >= observed for count in counts) / len(counts), rel=1e-12)


def test_own_index_p_of_many_layers_is_drawn() -> None:
    frame = assignments(np.random.default_rng(0), n_models=2, n_layer=12, n_components=1)
    perfect = frame.with_columns(layer_b=pl.col("layer_a"))
    assert relabelled_p(perfect) == pytest.approx(1 / 10_001)
    one = frame.with_columns(layer_b=pl.col("layer_a") % 12 + 1)  # none meets its own
    assert relabelled_p(one) == 1
    assert relabelled_p(frame.clear()) is None


@pytest.fixture
def house(tmp_path: Path) -> House:
    """Two seeds of a family and a labelled corpus; shifts, alignments and stitching of the one from the other."""
    house = House(tmp_path / "lens.duckdb")
    for seed in range(2):
        house.ingest(shape(name=f"seed{seed}", seed=0, model_seed=seed, family="group", lengths=LENGTHS, shards=(6,)))
    rng = np.random.default_rng(1)
    with connect.write(house.path) as con:
        con.execute("UPDATE sequence SET label = CASE WHEN seq_id % 2 = 0 THEN 'good' ELSE 'bad' END")
        [(n_vocab,)] = con.execute("SELECT count(*) FROM vocab").fetchall()
        con.executemany(
            "INSERT INTO parameter_shift VALUES (1, 2, ?, 'ff_key', 5, 1, 2, 0.5, 1, 0.2, 1, FALSE, 4, 12, 'all', '1')",
            [[layer] for layer in range(1, N_LAYER + 1)],
        )
        even = np.arange(0, n_vocab, 2)  # so that other items are left
        rows = [
            (1, 2, layer, "ff_key", unit, None, unit + 1, 1, sign, rank, int(rng.choice(even)), 1, "all", False)
            for layer in range(N_LAYER + 1)  # 0: a classifier's, which is no shift
            for unit in range(4) for sign in (1, -1) for rank in range(1, MOST + 3)
        ]  # fmt: skip
        con.executemany(f"INSERT INTO parameter_diff VALUES ({', '.join('?' * 14)})", rows)
    return house


def test_task_words_by_loops(house: House) -> None:
    warehouse.analyze(house.path, n_resamples=100)
    tokens = house.rows(
        "SELECT token_id, label FROM token JOIN sequence USING (corpus_id, seq_id) WHERE NOT token.is_special"
    )
    of_item, of_label, both = Counter(t for t, _ in tokens), Counter(label for _, label in tokens), Counter(tokens)
    z = {}
    for item, n in of_item.items():
        if n >= LEAST:
            logits, variance = [], 0.0
            for label in ("good", "bad"):
                y = both[item, label] + 0.5
                logits.append(math.log(y / (of_label[label] + 1 - y)))
                variance += 1 / y
            z[item] = abs(logits[0] - logits[1]) / math.sqrt(variance)
    found = house.rows("SELECT layer, value, low, high, n_items FROM shift_task ORDER BY layer")
    assert [layer for layer, *_ in found] == list(range(1, N_LAYER + 1))
    for layer, value, low, high, n_items in found:
        read = house.rows(f"SELECT DISTINCT token_id FROM parameter_diff WHERE layer = {layer} AND rank <= {MOST}")
        items = {item for (item,) in read}
        excess = []
        for item in items & {*z}:
            alike = [
                z[other]
                for other in z
                if other not in items and of_item[other].bit_length() == of_item[item].bit_length()
            ]
            excess += [z[item] - sum(alike) / len(alike)] if alike else []
        assert n_items == len(excess) > 0
        assert value == pytest.approx(sum(excess) / len(excess), abs=1e-12)
        assert low is None or low < value < high


def test_findings_bear_the_query_that_gives_their_number(house: House) -> None:
    with connect.write(house.path) as con:
        for space, layers in (("embedding", (1, 2, 3)), ("feature", (2, 3, 1))):
            for layer, other in enumerate(layers, start=1):
                con.execute(
                    "INSERT INTO alignment VALUES (1, 2, 'ff_key', ?, ?, ?, 0.1, 0.2, TRUE, TRUE)",
                    [space, layer, other],
                )
            n_own = sum(layer == other for layer, other in enumerate(layers, start=1))
            con.execute(
                "INSERT INTO alignment_summary "
                "VALUES (1, 2, 'ff_key', ?, 'score', 3, 3, ?, 0.1, 9, 'tied', 'tied', '1', 0)",
                [space, n_own],
            )
        gains = {0: 0.3, 1: 0.1, 2: 0.2, 3: 0.0}
        for cut, gain in gains.items():
            con.execute(
                "INSERT INTO stitching VALUES "
                "(1, 2, 'reviews', 'abc', 'stitched', ?, NULL, 0.5, 0.4, 0.6, ?, ?, ?, 50, 2, 1, '1', 0, 100)",
                [cut, gain, gain - 0.05, gain + 0.05],
            )
        for layer, gain in ((1, 0.3), (2, 0.1), (3, 0.2)):
            row = [
                1,
                "reviews",
                "abc",
                layer,
                "ff_value",
                50,
                5,
                0.4,
                0.3,
                0.5,
                0.4 - gain,
                gain,
                gain - 0.05,
                gain + 0.05,
            ]
            row += [900, 40, 0, "tied", "float32", 0, 100, "1", 0.1]
            con.execute(f"INSERT INTO recall VALUES ({', '.join('?' * len(row))}, now()::TIMESTAMP)", row)
    warehouse.analyze(house.path, n_resamples=100)
    found = house.rows(
        "SELECT claim, aspect, value, low, high, n, p_value, verdict, query FROM finding WHERE claim LIKE 'P%'"
    )
    by_aspect = {aspect: rest for _, aspect, *rest in found}
    assert {claim for claim, *_ in found} == {"P1", "P2", "P3", "P4"}
    for _, _, value, low, high, n, _, _, query in found:
        assert house.rows(query) == [(value, low, high, n)]
    n_layer = house.rows("SELECT n_layer FROM model")[0][0]
    between = sorted(gain for cut, gain in gains.items() if 1 <= cut < n_layer)
    assert by_aspect["transfer"][0] == pytest.approx(np.median(between))
    assert by_aspect["reading"][:4] == [pytest.approx(0.2), pytest.approx(0.15), pytest.approx(0.25), 900]
    assert by_aspect["layers"][0] == pytest.approx(1 - 1 / 3)
    assert by_aspect["layers"][4] == pytest.approx(1 / 6)  # one of the six numberings of three layers
    assert by_aspect["contrast"][0] == pytest.approx(1.0)
    again = warehouse.analyze(house.path, n_resamples=100)
    assert again.computed == []
