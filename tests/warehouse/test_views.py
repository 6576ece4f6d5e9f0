"""Every view against numpy, polars or scipy on the parts that went in; no SQL in common."""

import json
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from scipy import stats

import warehouse
from ingest.attribution.weights import COMPONENT_ORDER
from tests.warehouse.conftest import House
from tests.warehouse.synthetic import N_HEAD, WORDS, Shape, run_frames, shard_frames, states, strongest
from warehouse import annotation, connect, sqlfiles
from warehouse.contract import COMPONENTS, WORD_TABLE

POST = Shape(name="post", lengths=(4, 3, 5), seed=1)
PRE = Shape(name="pre", lengths=(4, 3, 5), seed=2, model="pre", placement="pre_ln")
SHAPES = {1: POST, 2: PRE}
KEYS = ("run_id", "layer", "seq_id", "query", "key")
MAPS = ("attn_norm", "atb", "after_ff", "after_res", "after_ln")


@pytest.fixture(scope="module")
def view(tmp_path_factory: pytest.TempPathFactory):
    """Whole views of a warehouse that holds two complete runs, annotated and analysed, and one that is not complete."""
    house = House(tmp_path_factory.mktemp("views") / "lens.duckdb")
    assert [house.ingest(shape) for shape in SHAPES.values()] == [1, 2]
    annotate(house)
    warehouse.analyze(house.path, n_resamples=100, by_parts_of_speech=True)
    folder = house.parts(Shape(name="unfinished", seed=3))
    warehouse.register_run(house.path, folder)
    warehouse.load_shards(house.path, folder)
    assert house.rows("SELECT count(DISTINCT run_id) FROM token_pair") == [(3,)]
    return lambda name: warehouse.open(house.path).sql(f"SELECT * FROM {name}")


WORD_SPANS = ((1, 3), (3, 4))
"""Words of every text, in characters, which are tokens: one of two tokens (one in the text of three), and one more."""


def annotate(house: House) -> None:
    [corpus] = {annotation.choose_corpus(house.path, None)}
    rows = [
        {"seq_id": seq, "word_id": number, "form": f"w{number}", "char_start": start, "char_end": end}
        | {"upos": "NOUN", "zipf": 3.2}
        for seq, n in enumerate(POST.lengths)
        for number, (start, end) in enumerate(WORD_SPANS)
        if start < n - 1
    ]
    words = pl.DataFrame([{name: row.get(name) for name in WORD_TABLE} for row in rows], schema=WORD_TABLE)
    file = house.path.with_name("word.parquet")
    words.write_parquet(file)
    annotation.store_annotation(house.path, corpus, annotation.Annotation("split", "1", None, None), file)


def part(shape: Shape, table: str) -> pl.DataFrame:
    return pl.concat([shard_frames(shape, 0, range(2))[table], shard_frames(shape, 1, range(2, 3))[table]])


def dims(shape: Shape) -> dict[str, np.ndarray]:
    """State -> (n_layer, all tokens, d_model)."""
    one, two = states(shape, 0, 7), states(shape, 1, 5)
    return {name: np.concatenate([one[name], two[name]], axis=1) for name in one}


def test_views_show_complete_runs_only(view) -> None:
    for file in sqlfiles.folder("views"):
        found = view(file.name)
        named = [found[name].drop_nulls() for name in ("run_id", "run_a", "run_b") if name in found.columns]
        complete = {1} if file.name == "v_group_run" else {1, 2}  # Post-LN and Pre-LN are no seeds of one another
        assert {run_id for ids in named for run_id in ids} == (complete if named else set()), file.name


def test_run(view) -> None:
    rows = {row["run_id"]: row for row in view("v_run").rows(named=True)}
    assert [rows[i]["run_name"] for i in (1, 2)] == ["post", "pre"]
    assert [rows[i]["placement"] for i in (1, 2)] == ["post_ln", "pre_ln"]
    assert rows[1]["tokenizer_id"] == rows[2]["tokenizer_id"] and rows[1]["model_id"] != rows[2]["model_id"]


def test_token_pair(view) -> None:
    found = view("v_token_pair")
    assert found.height == POST.n_pairs + PRE.n_pairs
    tokens = {(row["seq_id"], row["pos"]): row for row in run_frames(POST)["token"].rows(named=True)}
    for run_id, shape in SHAPES.items():
        wanted = {row[:4]: row[4:] for row in part(shape, "token_pair").rows()}
        for row in found.filter(run_id=run_id).rows(named=True):
            layer, seq, query, key = (row[name] for name in ("layer", "seq_id", "query", "key"))
            assert tuple(row[name] for name in ("attn", *MAPS)) == wanted[layer, seq, query, key]
            for number, name in enumerate(MAPS, start=1):
                total = sum(wanted[layer, seq, query, k][number] for k in range(shape.lengths[seq]))
                assert row[f"{name}_share"] == pytest.approx(wanted[layer, seq, query, key][number] / total)
            for side, pos in (("query", query), ("key", key)):
                token = tokens[seq, pos]
                assert row[f"{side}_token"] == WORDS[token["token_id"]].removeprefix("##")
                assert row[f"{side}_is_special"] == token["is_special"]
            assert row["run_name"] == shape.name


def test_inlier_change(view) -> None:
    """Only the first layer has rows; five dimensions are too few for one beyond 3 standard deviations (most: 2)."""
    found = view("v_inlier_change")
    assert set(found["layer"]) == {1} and set(found["outlier_dims"]) == {None}
    for run_id, shape in SHAPES.items():
        rows = part(shape, "map_change").filter(layer=1)
        for row in found.filter(run_id=run_id).rows(named=True):
            own = rows.filter(component=row["component"], pair_filter=row["pair_filter"])["spearman"].drop_nulls()
            assert row["mean_change"] == pytest.approx(np.mean(1 - own.to_numpy()), abs=1e-12)
            assert row["mean_change_inliers"] == pytest.approx(np.mean(1 - own.to_numpy() / 2), abs=1e-12)
            assert row["n_sequences"] == len(own)


def test_head_pair(view) -> None:
    found = view("v_head_pair")
    assert found.height == N_HEAD * (POST.n_pairs + PRE.n_pairs)
    tokens = {(row["seq_id"], row["pos"]): row for row in run_frames(POST)["token"].rows(named=True)}
    for run_id, shape in SHAPES.items():
        weights = {row[:5]: row[5] for row in part(shape, "head_pair").rows()}
        norms = {row[:4]: row[4] for row in part(shape, "head_norm").rows()}
        for row in found.filter(run_id=run_id).rows(named=True):
            layer, seq, head, query, key = (row[name] for name in ("layer", "seq_id", "head", "query", "key"))
            assert row["alpha"] == weights.pop((layer, seq, head, query, key))
            assert row["value_norm"] == norms[layer, seq, head, key]
            assert row["weighted_norm"] == pytest.approx(row["alpha"] * row["value_norm"], rel=1e-6)
            for side, pos in (("query", query), ("key", key)):
                assert row[f"{side}_token"] == WORDS[tokens[seq, pos]["token_id"]].removeprefix("##")
                assert row[f"{side}_is_special"] == tokens[seq, pos]["is_special"]
            assert (row["run_name"], row["placement"]) == (shape.name, shape.placement)
        assert not weights, "every pair of every head is there once"


def test_neuron_activation(view) -> None:
    found = view("v_neuron_activation")
    tokens = {(row["seq_id"], row["pos"]): row for row in run_frames(POST)["token"].rows(named=True)}
    keys = ("layer", "unit", "sign", "seq_id", "pos", "activation")
    for run_id, shape in SHAPES.items():
        rows = found.filter(run_id=run_id).sort("layer", "unit", "sign", "rank", descending=[False, False, True, False])
        assert rows.select(keys).rows() == strongest(shape, range(3))
        for row in rows.rows(named=True):
            token = tokens[row["seq_id"], row["pos"]]
            assert row["token"] == WORDS[token["token_id"]].removeprefix("##")
            assert all(row[name] == token[name] for name in ("is_special", "char_start", "char_end"))
            assert row["text"] == f"text {row['seq_id']}"
            assert (row["run_name"], row["model_name"], row["corpus_name"]) == (shape.name, shape.model, "poem")
    assert found["is_special"].n_unique() == 2


def test_ff_amp_compares_with_the_map_before_ff(view) -> None:
    keys = ["layer", "seq_id", "query", "key"]
    found = view("v_ff_amp")
    for run_id, shape in SHAPES.items():
        before = "atb" if shape.placement == "post_ln" else "after_ln"
        pairs = part(shape, "token_pair").with_columns(pl.col(pl.Float32).cast(pl.Float64))
        rows = pairs.partition_by(["layer", "seq_id", "query"])
        wanted = pl.concat(
            row.with_columns(ff_amp=row["after_ff"] / row["after_ff"].sum() - row[before] / row[before].sum())
            for row in rows
        ).select(*keys, "ff_amp")
        ours = found.filter(run_id=run_id).select(*keys, "ff_amp")
        assert_frame_equal(ours.sort(keys), wanted.sort(keys))
    sums = found.group_by("run_id", "layer", "seq_id", "query").agg(pl.col("ff_amp").sum())
    assert sums["ff_amp"].abs().max() < 1e-12


def test_ff_amp_where_the_norm_follows_ff(house: House) -> None:
    """OLMo 2: FF comes first, and the map before it is atb, though the placement is not Post-LN's."""
    shape = Shape(name="olmo", placement="res_post_ln")
    house.ingest(shape)
    pairs = part(shape, "token_pair").filter(layer=2, seq_id=0, query=1).sort("key").cast({pl.Float32: pl.Float64})
    wanted = pairs["after_ff"] / pairs["after_ff"].sum() - pairs["atb"] / pairs["atb"].sum()
    found = house.rows("SELECT ff_amp FROM v_ff_amp WHERE layer = 2 AND seq_id = 0 AND query = 1 ORDER BY key")
    assert [value for (value,) in found] == pytest.approx(wanted.to_list())


def tokens_of_words(shape: Shape, seq: int) -> list[list[int]]:
    last = shape.lengths[seq] - 1  # special
    return [list(range(start, min(end, last))) for start, end in WORD_SPANS if start < last]


def test_word_pair(view) -> None:
    found = {
        tuple(row[name] for name in ("run_id", "layer", "seq_id", "query_word_id", "key_word_id")): row
        for row in view("v_word_pair").rows(named=True)
    }
    n_wanted = 0
    for run_id, shape in SHAPES.items():
        before = "atb" if shape.placement == "post_ln" else "after_ln"
        pairs = {
            tuple(row[name] for name in ("layer", "seq_id", "query", "key")): row
            for row in part(shape, "token_pair").rows(named=True)
        }
        for layer in range(1, shape.n_layer + 1):
            for seq, n in enumerate(shape.lengths):

                def share(name: str, query: int, keys: list[int], at=(layer, seq), n=n, pairs=pairs) -> float:
                    row = [pairs[(*at, query, key)][name] for key in range(n)]
                    return sum(row[key] for key in keys) / sum(row)

                words = tokens_of_words(shape, seq)
                for a, queries in enumerate(words):
                    for b, keys in enumerate(words):
                        n_wanted += 1
                        row = found[run_id, layer, seq, a, b]
                        mean = {
                            name: np.mean([share(name, query, keys) for query in queries])
                            for name in ("attn_norm", "atb", "after_ff", "after_res", "after_ln")
                        }
                        for name, value in mean.items():
                            assert row[f"{name}_share"] == pytest.approx(value)
                        attn = [sum(pairs[layer, seq, query, key]["attn"] for key in keys) for query in queries]
                        assert row["attn"] == pytest.approx(np.mean(attn))
                        assert row["before_ff_share"] == pytest.approx(mean[before])
                        assert row["ff_amp"] == pytest.approx(mean["after_ff"] - mean[before])
                        assert (row["query_word"], row["key_word"]) == (f"w{a}", f"w{b}")
                        assert (row["n_query_tokens"], row["n_key_tokens"]) == (len(queries), len(keys))
    assert len(found) == n_wanted > 10


def test_word_pair_of_a_causal_model(house: House) -> None:
    """A mean is over all tokens of the query's word, those too that see no token of the key's word."""
    house.ingest()
    annotate(house)
    with connect.write(house.path) as con:
        con.execute("UPDATE model SET is_causal = true")
        con.execute("DELETE FROM token_pair WHERE key > query")
    [(found,)] = house.rows(
        "SELECT attn FROM v_word_pair WHERE layer = 1 AND seq_id = 2 AND query_word_id = 0 AND key_word_id = 0"
    )
    [(seen,)] = house.rows(
        "SELECT sum(attn) FROM token_pair WHERE layer = 1 AND seq_id = 2 AND key IN (1, 2) AND query IN (1, 2)"
    )
    assert found == pytest.approx(seen / 2)
    assert house.rows("SELECT * FROM v_word_pair WHERE query_word_id < key_word_id") == []
    assert house.rows("SELECT * FROM v_pair_pattern WHERE key >= query") == []
    assert house.rows("SELECT count(*) FROM v_pair_pattern") == house.rows(
        "SELECT count(*) FROM pair_pattern WHERE key < query"
    )


def test_pair_pattern(view) -> None:
    found = view("v_pair_pattern")
    subwords = found.filter(pattern="subword").select("run_id", "seq_id", "query", "key").rows()
    assert sorted(subwords) == sorted(
        (run, seq, *pair) for run in (1, 2) for seq in (0, 2) for pair in ((1, 2), (2, 1))
    )
    tokens = {(row["seq_id"], row["pos"]): row["token_id"] for row in run_frames(POST)["token"].rows(named=True)}
    for row in found.rows(named=True):
        for side in ("query", "key"):
            seq, pos = row["seq_id"], row[side]
            assert row[f"{side}_token"] == WORDS[tokens[seq, pos]].removeprefix("##")
            held = [number for number, own in enumerate(tokens_of_words(POST, seq)) if pos in own]
            assert row[f"{side}_word_id"] == (held[0] if held else None)
            assert row[f"{side}_word"] == (f"w{held[0]}" if held else None)


def test_change_by_layer(view) -> None:
    found = view("v_change_by_layer")
    assert found.height == 2 * 2 * 4 * 3
    for row in found.rows(named=True):
        cell = {name: row[name] for name in ("layer", "component", "pair_filter")}
        change = 1 - part(SHAPES[row["run_id"]], "map_change").filter(**cell)["spearman"].drop_nulls().to_numpy()
        assert row["n_sequences"] == change.size
        assert row["mean_change"] == pytest.approx(change.mean())
        assert row["sd_change"] == (pytest.approx(change.std(ddof=1)) if change.size > 1 else None)
    assert found["n_sequences"].min() < 3, "the parts hold undefined changes"


def test_cancellation(view) -> None:
    found = view("v_cancellation")
    assert found.height == 2 * 2 * 3
    for row in found.rows(named=True):
        cell = {name: row[name] for name in ("layer", "pair_filter")}
        changes = part(SHAPES[row["run_id"]], "map_change").filter(**cell)
        means = {name: 1 - changes.filter(component=name)["spearman"].mean() for name in COMPONENTS}
        for name, mean in means.items():
            assert row[f"change_{name.lower()}"] == pytest.approx(mean)
        assert row["surviving_share"] == pytest.approx(means["BLOCK"] / means["FF"])


def test_norm_vs_change(view) -> None:
    found = view("v_norm_vs_change")
    assert found.height == 2 * 2 * 3
    for row in found.rows(named=True):
        shape, cell = SHAPES[row["run_id"]], {name: row[name] for name in ("layer", "seq_id")}
        norms = part(shape, "token_norm").filter(**cell).cast({"norm_ff_out": pl.Float64, "norm_attn_out": pl.Float64})
        assert row["n_tokens"] == norms.height == shape.lengths[row["seq_id"]]
        assert row["mean_norm_ff_out"] == pytest.approx(norms["norm_ff_out"].mean())
        assert row["mean_norm_attn_out"] == pytest.approx(norms["norm_attn_out"].mean())
        changes = part(shape, "map_change").filter(**cell, pair_filter="all")
        for name in COMPONENTS:
            rho = changes.filter(component=name)["spearman"].item()
            assert row[f"change_{name.lower()}"] == (None if rho is None else pytest.approx(1 - rho))


def test_ln_weight_views(view) -> None:
    points, correlations = view("v_ln_weight_dim"), view("v_ln_weight_vs_ff")
    assert (points.height, correlations.height) == (2 * 2 * 5, 2 * 2)
    for row in correlations.rows(named=True):
        shape, layer = SHAPES[row["run_id"]], row["layer"]
        gamma = run_frames(shape)["layer_weight"].filter(layer=layer).sort("dim")["ln_ff_gamma"].to_numpy()
        mine = points.filter(run_id=row["run_id"], layer=layer).sort("dim")
        np.testing.assert_array_equal(mine["ln_ff_gamma"], gamma)
        for name in ("ff_in", "ff_out"):
            size = np.abs(dims(shape)[name][layer - 1]).mean(0)
            np.testing.assert_allclose(mine[f"{name}_mean_abs"], size)
            assert row[f"pearson_{name}"] == pytest.approx(stats.pearsonr(abs(gamma), size).statistic)
            assert row[f"spearman_{name}"] == pytest.approx(stats.spearmanr(abs(gamma), size).statistic)
        assert row["n_dims"] == 5


def test_ln_weight_ties_and_constants(house: House) -> None:
    folder = house.parts(Shape(d_model=6))
    warehouse.register_run(house.path, folder)
    warehouse.load_shards(house.path, folder)
    gamma = np.array([1.0, 2.0, -2.0, 2.0, 0.5, -1.0])
    weights = run_frames(Shape(d_model=6))["layer_weight"]
    weights = weights.with_columns(ln_ff_gamma=pl.Series([*gamma, *np.ones(6)]))
    weights.write_parquet(folder / "layer_weight.parquet")
    warehouse.complete_run(house.path, folder)
    one, two = house.rows("SELECT spearman_ff_in, pearson_ff_out FROM v_ln_weight_vs_ff ORDER BY layer")
    size = np.abs(dims(Shape(d_model=6))["ff_in"][0]).mean(0)
    assert one[0] == pytest.approx(stats.spearmanr(abs(gamma), size).statistic) and not math.isnan(one[1])
    assert two == (None, None)


def test_mixing(view) -> None:
    found = view("v_mixing")
    assert found.height == 2 * 2
    for row in found.rows(named=True):
        norms = part(SHAPES[row["run_id"]], "token_norm").filter(layer=row["layer"])
        assert row["n_tokens"] == norms.height == 12
        for name in ("mix_atb", "mix_after_ff", "mix_after_res", "mix_after_ln"):
            assert row[name] == pytest.approx(norms[name].cast(pl.Float64).mean())


@pytest.mark.parametrize(
    ("placement", "before"),
    [("post_ln", "atb"), ("res_post_ln", "atb"), ("pre_ln", "after_ln"), ("sandwich_ln", "after_ln"),
     ("parallel", "after_ln")],
)  # fmt: skip
def test_ff_amp_begins_with_the_map_that_ff_reads(house: House, placement: str, before: str) -> None:
    """The component before FF in the placement's order is the norm, or none."""
    order = COMPONENT_ORDER[placement]
    assert before == ("atb" if order[0] == "FF" else "after_ln") and order[0] in ("FF", "LN")
    house.ingest(Shape(placement=placement))
    assert house.rows(
        "SELECT count(*), count(*) FILTER (before_ff_share = "
        f"{before} / (SELECT sum({before}) FROM token_pair AS row WHERE row.layer = pair.layer "
        "AND row.seq_id = pair.seq_id AND row.query = pair.query)) FROM v_ff_amp JOIN token_pair AS pair "
        "USING (layer, seq_id, query, key)"
    ) == [(100, 100)]


def test_pattern_effect(view) -> None:
    """The effects themselves are held against loops in tests/warehouse/analysis."""
    found, stored = view("v_pattern_effect"), view("pattern_effect")
    numbers = [name for name in stored.columns if name not in ("method_version", "seed")]
    assert_frame_equal(found.select(numbers), stored.select(numbers), check_row_order=False)
    assert set(found.filter(run_id=2)["run_name"]) == {"pre"}


def test_estimates_by_name(view) -> None:
    """What the analysis stores agrees with the plain views of the same thing."""
    keys = ["run_id", "layer", "component", "pair_filter"]
    both = view("v_change_interval").join(view("v_change_by_layer"), on=keys, how="full")
    assert both["value"].to_list() == pytest.approx(both["mean_change"].to_list()) and both.height == 2 * 2 * 12
    assert both["n_sequences"].to_list() == both["n_sequences_right"].to_list()
    both = view("v_surviving_share").join(view("v_cancellation"), on=["run_id", "layer", "pair_filter"], how="full")
    assert both["value"].to_list() == pytest.approx(both["surviving_share"].to_list()) and both.height == 2 * 2 * 3
    ln, plain = view("v_ln_weight"), view("v_ln_weight_vs_ff")
    for row in plain.rows(named=True):
        for side in ("ff_in", "ff_out"):
            [one] = ln.filter(run_id=row["run_id"], layer=row["layer"], side=side).rows(named=True)
            assert (one["rho"], one["n_dims"]) == (pytest.approx(row[f"spearman_{side}"]), 5)
            assert one["inlier_rho"] == pytest.approx(one["rho"]) and one["outlier_dims"] == []
    by_kind = view("v_mixing_by_kind").filter(kind="all").pivot("stage", index=["run_id", "layer"], values="value")
    both = by_kind.join(view("v_mixing"), on=["run_id", "layer"])
    for stage in ("atb", "after_ff", "after_res", "after_ln"):
        assert both[stage].to_list() == pytest.approx(both[f"mix_{stage}"].to_list())
    assert {"special", "upos:NOUN", "zipf:3"} <= set(view("v_mixing_by_kind")["kind"])


def test_norm_change(view) -> None:
    found = {(row["run_id"], row["layer"], row["point"]): row for row in view("v_norm_change").rows(named=True)}
    stored = view("estimate").filter(pl.col("measure").str.starts_with("norm_change")).rows(named=True)
    assert len(stored) == 2 * len(found) == 2 * 2 * 2 * 2
    for row in stored:
        one = found[row["run_id"], row["layer"], row["item"]]
        prefix, rho = ("", "rho") if row["measure"] == "norm_change" else ("partial_", "partial_rho")
        assert (one[rho], one[f"{prefix}low"], one[f"{prefix}p_value"]) == (row["value"], row["low"], row["p_value"])
        assert (one["n_points"], one["n_sequences"]) == (row["n"], row["n_sequences"])


def test_top_pair(view) -> None:
    found, stored = view("v_top_pair"), view("top_pair")
    assert found.height == stored.height > 0
    amps = {row[:5]: row[5] for row in view("v_ff_amp").select(*KEYS, "ff_amp").rows()}
    held: dict[tuple, set[str]] = {}
    for row in view("pair_pattern").rows(named=True):
        name = row["pattern"] + (f":{row['relation']}" if row["relation"] else "")
        held.setdefault((row["seq_id"], row["query"], row["key"]), set()).add(name)
    tokens = {(row["seq_id"], row["pos"]): WORDS[row["token_id"]] for row in run_frames(POST)["token"].rows(named=True)}
    for row in found.rows(named=True):
        seq, query, key = (row[name] for name in KEYS[2:])
        assert row["ff_amp"] == pytest.approx(amps[tuple(row[name] for name in KEYS)])
        assert row["patterns"] == sorted(held.get((seq, query, key), set())) and row["text"] == f"text {seq}"
        assert row["query_token"] == tokens[seq, query].removeprefix("##")
        assert row["key_token"] == tokens[seq, key].removeprefix("##")
    assert any(len(patterns) == 0 for patterns in found["patterns"]) and any(found["patterns"].list.len() > 0)


@pytest.mark.parametrize("name", ["v_token_pair", "v_ff_amp", "v_word_pair"])
def test_one_map_reads_one_map(house: House, name: str) -> None:
    """The filters reach the scan of the large table, below the window and the joins."""
    house.ingest()
    annotate(house)
    query = f"EXPLAIN ANALYZE SELECT * FROM {name} WHERE run_id = 1 AND layer = 2 AND seq_id = 1"
    plan = house.rows(query)[0][1]
    scan = plan[plan.index("token_pair") :]
    scan = scan[: scan.index("rows")]
    assert "layer = 2" in scan and "seq_id = 1" in scan and "run_id = 1" in scan


def test_heads_of_one_map_read_one_map(house: House) -> None:
    """Of both large tables only the rows of that sequence and layer leave the scan."""
    house.ingest()
    house.ingest(Shape(name="second", seed=1))
    query = "SELECT * FROM v_head_pair WHERE run_id = 1 AND layer = 2 AND seq_id = 1"
    plan = json.loads(house.rows(f"EXPLAIN (ANALYZE, FORMAT json) {query}")[0][1])
    read = {scan["extra_info"]["Table"].split(".")[-1]: scan["intermediate_rows"] for scan in scans(plan)}
    n = Shape().lengths[1]
    assert (read["head_pair"], read["head_norm"]) == (N_HEAD * n * n, N_HEAD * n)


def scans(plan: Any) -> Iterator[dict[str, Any]]:
    """The scans of a plan in JSON, however deep they lie."""
    if isinstance(plan, dict) and plan.get("type") == "TABLE_SCAN":
        yield plan
    for inner in plan.values() if isinstance(plan, dict) else plan if isinstance(plan, list) else ():
        yield from scans(inner)


def test_maps_of_tokens_and_of_words_in_one_shape(view) -> None:
    """v_map holds what v_token_pair and v_word_pair hold, under one name each."""
    found = view("v_map")
    shares = [f"{name}_share" for name in (*MAPS, "before_ff")]
    for unit, own, names in (
        ("token", view("v_token_pair"), ("query", "key", "query_token", "key_token")),
        ("word", view("v_word_pair"), ("query_word_id", "key_word_id", "query_word", "key_word")),
    ):
        renamed = dict(zip(names, ("query", "key", "query_text", "key_text"), strict=True)) | {"attn": "attn_share"}
        columns = [*KEYS, "query_text", "key_text", "attn_share", *shares, "ff_amp"]
        ours = found.filter(unit=unit).select(columns).sort(KEYS)
        assert_frame_equal(ours, own.rename(renamed).select(columns).sort(KEYS), check_dtypes=False)
    tokens, words = (found.filter(unit=unit) for unit in ("token", "word"))
    raw = view("v_token_pair").select(*KEYS, "attn", *MAPS).sort(KEYS)
    assert_frame_equal(tokens.select(*KEYS, "attn", *MAPS).sort(KEYS), raw, check_dtypes=False)
    assert words.select("attn", *MAPS).null_count().row(0) == (words.height,) * 6
    assert found["is_seen"].all() and not words["is_special"].any()
    special = view("v_token_pair").select((pl.col("query_is_special") | pl.col("key_is_special")).sum()).item()
    assert tokens["is_special"].sum() == special > 0


def test_a_pair_beyond_the_window_is_not_seen(house: House) -> None:
    house.ingest()
    annotate(house)
    with connect.write(house.path) as con:
        zeros = ", ".join(f"{name} = 0" for name in ("attn", *MAPS))
        con.execute(f"UPDATE token_pair SET {zeros} WHERE abs(query - key) > 1")
    rows = house.rows("SELECT query, key, is_seen FROM v_map WHERE unit = 'token' AND seq_id = 2 AND layer = 1")
    assert len(rows) == 25 and all(seen == (abs(query - key) <= 1) for query, key, seen in rows)


@pytest.mark.parametrize("unit", ["token", "word"])
def test_a_map_of_one_unit_reads_one_map(house: House, unit: str) -> None:
    house.ingest()
    house.ingest(Shape(name="second", seed=1))
    annotate(house)
    query = f"SELECT * FROM v_map WHERE run_id = 1 AND unit = '{unit}' AND layer = 2 AND seq_id = 1"
    plan = json.loads(house.rows(f"EXPLAIN (ANALYZE, FORMAT json) {query}")[0][1])
    read = [scan for scan in scans(plan) if scan["extra_info"].get("Table", "").endswith("token_pair")]
    [n_rows] = [scan["intermediate_rows"] for scan in read]  # tokens without a word may be left out already
    assert 0 < n_rows <= Shape().lengths[1] ** 2
