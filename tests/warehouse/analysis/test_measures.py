"""Every measure of the analysis against loops over the stored rows, to 1e-9, and intervals from the same draws."""

import math
from collections.abc import Iterator

import numpy as np
import pytest
from scipy import stats

import warehouse
from tests.warehouse.analysis import oracle
from tests.warehouse.analysis.support import OF_RUNS, annotate, execute, shape
from tests.warehouse.conftest import House
from warehouse.analysis import runner
from warehouse.contract import COMPONENTS, PAIR_FILTERS, STAGES

SEED, N_RESAMPLES = 3, 200
PLACEMENTS = {1: "post_ln", 2: "pre_ln", 3: "res_post_ln", 4: "parallel"}
BEFORE = {"post_ln": "atb", "pre_ln": "after_ln", "res_post_ln": "atb", "parallel": "after_ln"}
RUNS = pytest.mark.parametrize("run", PLACEMENTS, ids=PLACEMENTS.values())


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    """Runs of four placements, annotated and analysed: ties, local attention and undefined values are in them."""
    house = House(tmp_path_factory.mktemp("measures") / "lens.duckdb")
    for run, placement in PLACEMENTS.items():
        assert house.ingest(shape(name=placement, placement=placement, seed=run, model=placement)) == run
    execute(
        house,
        "UPDATE token_pair SET attn = 0 WHERE abs(query - key) > 6",
        "UPDATE token_pair SET after_ff = round(after_ff, 1) + 0.1, atb = round(atb, 1) + 0.1 WHERE layer = 2",
        "UPDATE token_pair SET atb = 0.5, after_ln = 0.5 WHERE seq_id = 5 AND query = 2",
        "UPDATE token_norm SET mix_after_ff = NULL WHERE pos = 0 AND seq_id < 4",
        "UPDATE map_change SET spearman = NULL WHERE seq_id = 2 AND pair_filter = 'content'",
        "UPDATE layer_dim SET ff_out_mean_abs = 30, ln_ff_gamma = -9 WHERE dim = 17",
        "UPDATE layer_dim SET ff_in_mean_abs = 25 WHERE dim = 3 AND layer = 1",
    )
    annotate(house)
    found = warehouse.analyze(house.path, seed=SEED, n_resamples=N_RESAMPLES, parts=OF_RUNS)
    assert len(found.computed) == 4 * 7 and not found.skipped
    return house


def maps_of(house: House, run: int, layer: int) -> dict[oracle.Pair, tuple[float, float, float]]:
    before = BEFORE[PLACEMENTS[run]]
    rows = house.rows(
        f"SELECT seq_id, query, key, attn, {before}, after_ff FROM token_pair WHERE run_id = {run} AND layer = {layer}"
    )
    return {row[:3]: row[3:] for row in rows}


def content_of(house: House) -> set[tuple[int, int]]:
    return set(house.rows("SELECT seq_id, pos FROM token WHERE NOT is_special"))


def named(house: House, query: str) -> list[dict]:
    return warehouse.open(house.path).sql(query).rows(named=True)


def estimates(house: House, run: int, measure: str) -> Iterator[dict]:
    found = named(house, f"FROM estimate WHERE run_id = {run} AND measure = '{measure}' ORDER BY ALL")
    assert found
    for row in found:
        assert (row["method_version"], row["seed"]) == ("1", SEED)
        yield row


def same(found: float | None, wanted: float) -> bool:
    return found is None if math.isnan(wanted) else found == pytest.approx(wanted, abs=1e-9, rel=1e-9)


@pytest.mark.parametrize("run", [1, 2, 3], ids=["post_ln", "pre_ln", "res_post_ln"])
def test_pattern_effects(house: House, run: int) -> None:
    content, rows = content_of(house), named(house, f"FROM pattern_effect WHERE run_id = {run}")
    held = house.rows("SELECT pattern, relation, seq_id, query, key FROM pair_pattern")
    items = {(pattern, None) for pattern, *_ in held} | {
        (pattern, relation) for pattern, relation, *_ in held if pattern == "head_dependent" and relation
    }
    assert {(row["layer"], row["pattern"], row["relation"]) for row in rows} == {
        (layer, *item) for layer in (1, 2) for item in items
    }
    assert len(rows) == 2 * len(items) and len(items) == 7
    for row in rows:
        amps = oracle.ff_amps(maps_of(house, run, row["layer"]))
        if row["pattern"] != "special":
            amps = {p: amp for p, amp in amps.items() if (p[0], p[1]) in content and (p[0], p[2]) in content}
        pairs = {
            pair[2:] for pair in held if pair[0] == row["pattern"] and row["relation"] in (None, pair[1])
        }  # fmt: skip
        for name, wanted in oracle.pattern_numbers(amps, pairs).items():
            assert same(row[name], wanted), (row, name, wanted)


def test_intervals_of_an_effect(house: House) -> None:
    """Sequences drawn with the same random numbers, laid side by side and counted anew."""
    content = content_of(house)
    amps = oracle.ff_amps(maps_of(house, 1, 1))
    amps = {p: amp for p, amp in amps.items() if (p[0], p[1]) in content and (p[0], p[2]) in content}
    pairs = set(house.rows("SELECT seq_id, query, key FROM pair_pattern WHERE pattern = 'head_dependent'"))
    threshold = sorted(amps.values(), reverse=True)[math.ceil(len(amps) / 100) - 1]
    sequences = range(12)

    def resampled(drawn: list[int]) -> dict[str, float]:
        copies = {(i, *p[1:]): amp for i, seq in enumerate(drawn) for p, amp in amps.items() if p[0] == seq}
        held = {(i, *p[1:]) for i, seq in enumerate(drawn) for p in pairs if p[0] == seq}
        found = oracle.pattern_numbers(copies, held)
        top = [p for p, amp in copies.items() if amp >= threshold]
        share = sum(p in held for p in top) / len(top) if top else math.nan
        return found | {"lift": share / (found["n_pairs"] / len(copies))}

    [row] = named(
        house,
        "FROM pattern_effect WHERE run_id = 1 AND layer = 1 AND pattern = 'head_dependent' AND relation IS NULL",
    )
    n_pairs = [sum(p in amps for p in pairs if p[0] == seq) for seq in sequences]
    for name in ("mean_amp", "effect", "lift"):
        draws = oracle.bootstrapped(12, SEED, N_RESAMPLES, lambda drawn, name=name: resampled(drawn)[name])
        if np.isnan(draws).mean() > 0.1:
            assert row[f"{name}_low"] is None
            continue
        low, high = oracle.expanded_interval(draws, n_pairs)
        assert (row[f"{name}_low"], row[f"{name}_high"]) == (
            pytest.approx(low, abs=1e-9),
            pytest.approx(high, abs=1e-9),
        )
        assert low <= row[name] <= high


def test_parallel_models_have_no_effect_between_positions(house: House) -> None:
    rows = named(house, "FROM pattern_effect WHERE run_id = 4")
    assert rows and all(row["n_pairs"] > 0 for row in rows)
    numbers = ("mean_amp", "effect", "effect_low", "top_share", "lift", "lift_high", "p_value", "p_adjusted")
    assert {row[name] for row in rows for name in numbers} == {None}
    again = warehouse.analyze(house.path, [4], seed=SEED, n_resamples=N_RESAMPLES, parts=OF_RUNS)
    assert [note for note in again.notes if "parallel model" in note and "run 4 (parallel)" in note]


@RUNS
def test_changes_and_what_survives(house: House, run: int) -> None:
    rows = house.rows(
        f"SELECT layer, component, pair_filter, 1 - spearman FROM map_change WHERE run_id = {run} "
        "AND spearman IS NOT NULL"
    )
    cells: dict[tuple, list[float]] = {}
    for *cell, value in rows:
        cells.setdefault(tuple(cell), []).append(value)
    found = list(estimates(house, run, "change"))
    assert len(found) == 2 * len(COMPONENTS) * len(PAIR_FILTERS)
    for row in found:
        values = cells[row["layer"], row["item"], row["pair_filter"]]
        assert same(row["value"], math.fsum(values) / len(values)) and row["n"] == row["n_sequences"] == len(values)
        assert row["low"] < row["value"] < row["high"] and row["p_value"] is None
    for row in estimates(house, run, "surviving_share"):
        block, ff = (cells[row["layer"], name, row["pair_filter"]] for name in ("BLOCK", "FF"))
        assert same(row["value"], np.mean(block) / np.mean(ff)) and row["low"] < row["value"] < row["high"]


@RUNS
def test_norms_and_changes(house: House, run: int) -> None:
    content = content_of(house)
    for row in [*estimates(house, run, "norm_change"), *estimates(house, run, "norm_change_partial")]:
        norms = {
            place: values
            for *place_, ff, attn in house.rows(
                f"SELECT seq_id, pos, norm_ff_out, norm_attn_out FROM token_norm WHERE run_id = {run} "
                f"AND layer = {row['layer']}"
            )
            if (place := tuple(place_)) in content and (values := (ff, attn))
        }
        if row["item"] == "row":
            change = oracle.row_changes(maps_of(house, run, row["layer"]), content)
            assert 0 < len(change) < len(content), "some rows are too short"
            points = {place: (*norms[place], change[place]) for place in change}
        else:
            change = dict(
                house.rows(
                    f"SELECT seq_id, 1 - spearman FROM map_change WHERE run_id = {run} AND layer = {row['layer']} "
                    "AND component = 'FF' AND pair_filter = 'content' AND spearman IS NOT NULL"
                )
            )
            points = {
                seq: (*np.mean([v for place, v in norms.items() if place[0] == seq], axis=0), value)
                for seq, value in change.items()
            }
        ff, attn, change_of = zip(*points.values(), strict=True)
        wanted = (
            oracle.rank_correlation(ff, change_of)
            if row["measure"] == "norm_change"
            else oracle.partial_rank_correlation(ff, change_of, attn)
        )
        assert same(row["value"], wanted) and row["n"] == len(points) and row["pair_filter"] == "content"
        assert row["low"] < row["value"] < row["high"] and 0 < row["p_value"] <= 1
    assert {row["item"] for row in estimates(house, run, "norm_change")} == {"sequence", "row"}


@RUNS
def test_ln_weights_and_outliers(house: House, run: int) -> None:
    outliers = {row[0:2]: row[2:] for row in house.rows(
        f"SELECT layer, dim, ln_ff_gamma, z_gamma, z_ff_in, z_ff_out FROM outlier_dim WHERE run_id = {run}"
    )}  # fmt: skip
    for layer in (1, 2):
        rows = house.rows(
            "SELECT dim, ln_ff_gamma, ff_in_mean_abs, ff_out_mean_abs FROM layer_dim "
            f"WHERE run_id = {run} AND layer = {layer} ORDER BY dim"
        )
        dims, gamma, ff_in, ff_out = (np.array(column) for column in zip(*rows, strict=True))
        scores = np.stack([(v - v.mean()) / v.std() for v in (abs(gamma), ff_in, ff_out)], axis=1)
        far = (abs(scores) > 3).any(1)
        assert far[17] and far[3] == (layer == 1)
        assert {dim for la, dim in outliers if la == layer} == set(dims[far])
        for dim in dims[far]:
            assert outliers[layer, dim] == pytest.approx((gamma[dim], *scores[dim]), abs=1e-9)
        for row in estimates(house, run, "ln_weight"):
            if row["layer"] == layer:
                name, *inliers = row["item"].removeprefix("ff_").split("_")
                size = {"in": ff_in, "out": ff_out}[name]
                kept = ~far if inliers else np.ones(40, bool)
                assert same(row["value"], oracle.rank_correlation(abs(gamma)[kept], size[kept]))
                assert (row["n"], row["n_sequences"]) == (kept.sum(), 12)
    assert {row["item"] for row in estimates(house, run, "ln_weight")} == {
        "ff_in", "ff_out", "ff_in_inliers", "ff_out_inliers"
    }  # fmt: skip


@RUNS
def test_mixing_by_kind(house: House, run: int) -> None:
    rows = named(
        house,
        "SELECT norm.layer, norm.seq_id, mix_atb, mix_after_ff, mix_after_res, mix_after_ln, is_special, upos, zipf "
        "FROM token_norm AS norm JOIN token USING (seq_id, pos) LEFT JOIN word USING (seq_id, word_id) "
        f"WHERE norm.run_id = {run}",
    )
    cells: dict[tuple, list[tuple[int, float]]] = {}
    for row in rows:
        kinds = ["all"]
        kinds += ["special"] if row["is_special"] else []
        kinds += [f"upos:{row['upos']}"] if row["upos"] else []
        kinds += [f"zipf:{math.floor(row['zipf'])}"] if row["zipf"] else []
        for stage in STAGES:
            for kind in kinds:
                if row[f"mix_{stage}"] is not None:
                    value = row["seq_id"], row[f"mix_{stage}"]
                    cells.setdefault((row["layer"], f"{stage}/{kind}"), []).append(value)
    found = list(estimates(house, run, "mixing"))
    assert {(row["layer"], row["item"]) for row in found} == set(cells) and len(found) == len(cells) > 2 * 4 * 8
    for row in found:
        cell = cells[row["layer"], row["item"]]
        assert same(row["value"], math.fsum(value for _, value in cell) / len(cell))
        assert (row["n"], row["n_sequences"]) == (len(cell), len({seq for seq, _ in cell}))


def test_top_pairs(house: House) -> None:
    content = content_of(house)
    for run in PLACEMENTS:
        for layer in (1, 2):
            amps = oracle.ff_amps(maps_of(house, run, layer))
            wanted = sorted(
                (-amp, *p) for p, amp in amps.items() if amp > 0 and {(p[0], p[1]), (p[0], p[2])} <= content
            )[:50]
            found = house.rows(
                "SELECT rank, seq_id, query, key, ff_amp FROM top_pair "
                f"WHERE run_id = {run} AND layer = {layer} ORDER BY rank"
            )
            assert [row[0] for row in found] == list(range(1, len(wanted) + 1))
            assert [row[4] for row in found] == pytest.approx([-row[0] for row in wanted], abs=1e-9)
            if layer == 1:  # layer 2 has ties, which rounding in another order may turn
                assert [row[1:4] for row in found] == [row[1:] for row in wanted]


def test_p_values_are_adjusted_over_layers_and_patterns(house: House) -> None:
    """By scipy's function; relations of head_dependent among themselves."""
    rows = named(house, "FROM pattern_effect WHERE run_id = 1 ORDER BY layer, pattern, relation")
    for related in (True, False):
        group = [row for row in rows if (row["relation"] is not None) == related]
        wanted = stats.false_discovery_control([row["p_value"] for row in group])
        assert [row["p_adjusted"] for row in group] == pytest.approx(list(wanted), abs=1e-12)


def test_a_block_without_weights(house: House, tmp_path) -> None:
    """No correlation with what is not there; outliers of the states are still named."""
    copy = House(tmp_path / "lens.duckdb")
    copy.path.write_bytes(house.path.read_bytes())
    execute(copy, "UPDATE layer_dim SET ln_ff_gamma = NULL WHERE layer = 1")
    parts = [part for part in runner.PARTS if part.name in ("ln_weight", "outlier_dim")]
    warehouse.analyze(copy.path, [1], n_resamples=N_RESAMPLES, force=True, parts=parts)
    found = copy.rows("SELECT DISTINCT layer, n, value IS NULL, low IS NULL FROM estimate "
                      "WHERE run_id = 1 AND measure = 'ln_weight' AND item = 'ff_in' ORDER BY layer")  # fmt: skip
    assert found == [(1, 0, True, True), (2, 40, False, False)]
    assert copy.rows(
        "SELECT dim, ln_ff_gamma, z_gamma FROM outlier_dim WHERE run_id = 1 AND layer = 1 ORDER BY dim"
    ) == [
        (3, None, None),
        (17, None, None),
    ]
