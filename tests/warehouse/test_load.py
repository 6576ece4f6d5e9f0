"""Parts into tables: nothing twice, nothing lost, nothing damaged."""

import dataclasses
import json
import shutil
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import warehouse
from tests.warehouse.conftest import House
from tests.warehouse.synthetic import (
    OPTIONS,
    Shape,
    run_frames,
    shard_frames,
    states,
    strongest,
    write_json,
    write_shard,
)
from warehouse import connect
from warehouse.contract import DIM_STATES, PARTS_FORMAT, RUN_TABLES, SHARD_TABLES
from warehouse.errors import NumericsError, PartsError, PartsFormatError, WarehouseBusyError, WarehouseError

SHAPE = Shape()


def seqs_of(shape: Shape, number: int) -> range:
    first = sum(shape.shards[:number])
    return range(first, first + shape.shards[number])


def test_a_run_goes_in_whole_and_its_parts_go_away(house: House) -> None:
    folder = house.parts()
    run_id = warehouse.register_run(house.path, folder)
    assert warehouse.find_run(house.path, SHAPE.fingerprint) == warehouse.RunRecord(
        run_id, "first", SHAPE.fingerprint, "running", SHAPE.n_pairs
    )
    assert warehouse.load_shards(house.path, folder) == 2
    assert warehouse.loaded_shards(house.path, SHAPE.fingerprint) == {0, 1}
    assert not list(folder.glob("*shard*"))
    assert house.rows("SELECT * FROM v_run") == []
    assert warehouse.complete_run(house.path, folder) == run_id
    assert not folder.exists()
    record = warehouse.find_run(house.path, SHAPE.fingerprint)
    assert record and record.status == "complete"
    for table, schema in SHARD_TABLES.items():
        if table not in ("layer_dim", "neuron_activation"):
            wanted = pl.concat(shard_frames(SHAPE, n, seqs_of(SHAPE, n))[table] for n in range(2))
            found = warehouse.open(house.path).sql(f"SELECT {', '.join(schema)} FROM {table} WHERE run_id = {run_id}")
            keys = list(schema)[:5]
            assert_frame_equal(found.sort(keys), wanted.sort(keys))
    for table in ("sequence", "token", "vocab"):
        found = warehouse.open(house.path).sql(f"SELECT {', '.join(RUN_TABLES[table])} FROM {table}")
        assert_frame_equal(found, run_frames(SHAPE)[table], check_row_order=False)


def test_the_run_row_says_how_it_was_made(house: House) -> None:
    house.ingest()
    [row] = warehouse.open(house.path).sql("SELECT * FROM v_run").rows(named=True)
    assert json.loads(row["options"]) == OPTIONS
    assert str(row["started_at"]) == "2026-01-02 01:00:00"
    assert str(row["finished_at"]) == "2026-01-02 02:04:05"  # the manifest's time is one hour east of UTC
    assert (row["seconds_forward"], row["seconds_core"], row["seconds_write"]) == (1.0, 2.0, 0.5)
    assert row["seconds_load"] > 0 and row["max_completeness_error"] == 3e-7
    assert (row["model_name"], row["seed"], row["tokenizer_name"], row["corpus_name"]) == ("tiny", 0, "words", "poem")


def test_registering_and_completing_again_change_nothing(house: House) -> None:
    folder = house.parts()
    first = warehouse.register_run(house.path, folder)
    assert warehouse.register_run(house.path, folder) == first
    warehouse.load_shards(house.path, folder, keep_parts=True)
    assert warehouse.load_shards(house.path, folder, keep_parts=True) == 0
    warehouse.complete_run(house.path, folder, keep_parts=True)
    before = house.counts()
    assert warehouse.load_shards(house.path, folder, keep_parts=True) == 0
    assert warehouse.complete_run(house.path, folder, keep_parts=True) == first
    assert warehouse.register_run(house.path, folder) == first
    assert house.counts() == before and folder.exists()
    assert (before["token_pair"], before["layer_dim_part"]) == (SHAPE.n_pairs, 0)


def test_a_kill_between_commit_and_delete_repeats_nothing(house: House, tmp_path: Path) -> None:
    folder = house.parts()
    shutil.copytree(folder / "shard-00000", tmp_path / "copy")
    warehouse.register_run(house.path, folder)
    warehouse.load_shards(house.path, folder)
    before = house.counts()
    shutil.copytree(tmp_path / "copy", folder / "shard-00000")
    (folder / "shard-00000" / "shard.json").unlink()  # the kill came in the middle of deleting
    assert warehouse.load_shards(house.path, folder) == 0
    assert house.counts() == before and not (folder / "shard-00000").exists()


def test_shards_may_come_one_by_one_in_any_order(house: House, tmp_path: Path) -> None:
    folder = house.parts()
    warehouse.register_run(house.path, folder)
    (folder / "shard-00000").rename(tmp_path / "later")
    assert warehouse.load_shards(house.path, folder) == 1
    with pytest.raises(PartsError, match=r"lacks 1 of 2 shards \(0\)"):
        warehouse.complete_run(house.path, folder)
    (tmp_path / "later").rename(folder / "shard-00000")
    (folder / ".shard-00002.tmp").mkdir()  # ingest is writing it
    assert warehouse.load_shards(house.path, folder) == 1
    warehouse.complete_run(house.path, folder)
    assert house.rows("SELECT count(*) FROM v_token_pair") == [(SHAPE.n_pairs,)]


def test_a_truncated_file_is_named_and_can_be_computed_again(house: House) -> None:
    folder = house.parts()
    warehouse.register_run(house.path, folder)
    file = folder / "shard-00001" / "token_norm.parquet"
    file.write_bytes(file.read_bytes()[:-40])
    with pytest.raises(PartsError, match=r"token_norm\.parquet is damaged .*remove .*shard-00001 and run ingest") as e:
        warehouse.load_shards(house.path, folder)
    assert "\n" not in str(e.value)
    assert warehouse.loaded_shards(house.path, SHAPE.fingerprint) == {0}
    assert house.counts()["token_norm"] == SHAPE.n_layer * (4 + 3)
    shutil.rmtree(folder / "shard-00001")
    write_shard(folder, 1, shard_frames(SHAPE, 1, seqs_of(SHAPE, 1)), (2, 2))
    assert warehouse.load_shards(house.path, folder) == 1
    warehouse.complete_run(house.path, folder)


def test_damage_that_keeps_the_size_is_found(house: House) -> None:
    folder = house.parts()
    warehouse.register_run(house.path, folder)
    file = folder / "shard-00000" / "token_pair.parquet"
    content = file.read_bytes()
    file.write_bytes(content[:-60] + b"\0" * 60)
    with pytest.raises(PartsError, match=r"shard-00000.token_pair\.parquet is damaged"):
        warehouse.load_shards(house.path, folder)
    file.unlink()
    with pytest.raises(PartsError, match=r"shard-00000.token_pair\.parquet is damaged"):
        warehouse.load_shards(house.path, folder)


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("token_pair", "atb", np.nan),
        ("token_norm", "mix_atb", np.inf),
        ("map_change", "spearman", np.nan),
        ("head_norm", "value_norm", np.nan),
        ("head_pair", "alpha", np.inf),
        ("rollout", "value", np.nan),
    ],
)
def test_nan_and_infinity_are_refused(house: House, table: str, column: str, value: float) -> None:
    folder = house.parts()
    warehouse.register_run(house.path, folder)
    frames = shard_frames(SHAPE, 0, seqs_of(SHAPE, 0))
    last = pl.int_range(pl.len()) == pl.len() - 1
    frames[table] = frames[table].with_columns(
        pl.when(last).then(value).otherwise(column).cast(SHARD_TABLES[table][column]).alias(column)
    )
    shutil.rmtree(folder / "shard-00000")
    write_shard(folder, 0, frames, (0, 1))
    with pytest.raises(NumericsError, match=f"{column} at layer 2, seq_id 1"):
        warehouse.load_shards(house.path, folder)
    assert house.counts()["token_pair"] == 0


def test_undefined_measures_may_be_null_and_others_not(house: House) -> None:
    folder = house.parts()
    warehouse.register_run(house.path, folder)
    frames = shard_frames(SHAPE, 0, seqs_of(SHAPE, 0))
    nothing = pl.lit(None, pl.Float32)
    frames["token_norm"] = frames["token_norm"].with_columns(mix_after_ff=nothing, cos_ff_res=nothing)
    shutil.rmtree(folder / "shard-00000")
    write_shard(folder, 0, frames, (0, 1))
    assert warehouse.load_shards(house.path, folder) == 2
    frames["token_norm"] = frames["token_norm"].with_columns(norm_y=nothing)
    write_shard(folder, 2, frames, (0, 1))
    with pytest.raises(PartsError, match="norm_y is NULL in 14 rows"):
        warehouse.load_shards(house.path, folder)


@pytest.mark.parametrize("change", ["rows", "column", "type"])
def test_rows_and_columns_must_be_those_announced(house: House, change: str) -> None:
    folder = house.parts()
    warehouse.register_run(house.path, folder)
    frames = shard_frames(SHAPE, 0, seqs_of(SHAPE, 0))
    shutil.rmtree(folder / "shard-00000")
    if change == "column":
        frames["token_pair"] = frames["token_pair"].rename({"atb": "abt"})
    if change == "type":
        frames["token_pair"] = frames["token_pair"].cast({"atb": pl.Float64})
    target = write_shard(folder, 0, frames, (0, 1))
    if change == "rows":
        described = json.loads((target / "shard.json").read_text())
        described["tables"]["token_pair"]["rows"] += 1
        write_json(target / "shard.json", described)
    with pytest.raises(PartsError, match=r"token_pair\.parquet is damaged \(.*(atb|51 were written)"):
        warehouse.load_shards(house.path, folder)


def test_a_run_with_other_counts_does_not_appear(house: House) -> None:
    folder = house.parts()
    warehouse.register_run(house.path, folder)
    warehouse.load_shards(house.path, folder)
    with connect.write(house.path) as con:
        con.execute("DELETE FROM token_pair WHERE layer = 1 AND seq_id = 0 AND query = 0 AND key = 0")
    with pytest.raises(PartsError, match=f"has {SHAPE.n_pairs - 1} rows in token_pair, {SHAPE.n_pairs} were"):
        warehouse.complete_run(house.path, folder)
    counts = house.counts()
    assert counts["layer_dim"] == 0 and counts["layer_dim_part"] > 0
    assert house.rows("SELECT status FROM run") == [("running",)]


def test_layer_dim_is_the_statistics_of_all_tokens(house: House) -> None:
    shape = Shape(lengths=(4, 3, 5, 2, 6), shards=(2, 1, 2))
    house.ingest(shape)
    found = warehouse.open(house.path).sql("SELECT * FROM layer_dim ORDER BY layer, dim")
    sizes = [sum(shape.lengths[seq] for seq in seqs_of(shape, n)) for n in range(3)]
    whole = {
        name: np.concatenate([states(shape, n, size)[name] for n, size in enumerate(sizes)], axis=1)
        for name in DIM_STATES
    }
    assert found["n_tokens"].unique().to_list() == [20]
    for name, state in whole.items():
        for column, wanted in (("mean", state.mean(1)), ("std", state.std(1)), ("mean_abs", np.abs(state).mean(1))):
            np.testing.assert_allclose(found[f"{name}_{column}"].to_numpy(), wanted.ravel(), rtol=1e-13)
    weights = run_frames(shape)["layer_weight"]
    assert_frame_equal(found.select(weights.columns), weights)


MANY = Shape(lengths=(4, 3, 5, 2, 6, 4, 7), shards=(1, 2, 1, 3), seed=4)


def strongest_stored(house: House) -> list[tuple]:
    return house.rows("SELECT layer, unit, sign, seq_id, pos, activation FROM neuron_activation ORDER BY ALL")


@pytest.mark.parametrize("shards", [(7,), (1, 2, 1, 3), (1,) * 7], ids=str)
@pytest.mark.parametrize("order", [1, -1], ids=["first to last", "last to first"])
def test_the_strongest_activations_are_those_of_all_shards(house: House, shards, order, tmp_path: Path) -> None:
    """However the corpus was cut, and in whichever order its shards come; ties go to the earlier token."""
    shape = dataclasses.replace(MANY, shards=shards)
    folder = house.parts(shape)
    warehouse.register_run(house.path, folder)
    waiting = [shard.rename(tmp_path / shard.name) for shard in sorted(folder.glob("shard-*"))]
    for shard in waiting[::order]:
        shard.rename(folder / shard.name)
        assert warehouse.load_shards(house.path, folder) == 1
        assert house.counts()["neuron_activation"] == 0
    warehouse.complete_run(house.path, folder)
    expected = strongest(shape, range(7))
    assert {row[2] for row in expected} == {1, -1} and len({abs(row[5]) for row in expected}) > 1
    assert strongest_stored(house) == sorted(expected)
    ranks = house.rows("SELECT rank, abs(activation), seq_id, pos, layer, unit, sign FROM neuron_activation")
    for neuron in {row[4:] for row in ranks}:
        of_neuron = sorted(row[:4] for row in ranks if row[4:] == neuron)
        assert [row[0] for row in of_neuron] == list(range(1, len(of_neuron) + 1))
        assert of_neuron == sorted(of_neuron, key=lambda row: (-row[1], row[2], row[3]))
    counts = house.counts()
    assert counts["neuron_activation_part"] == 0
    assert house.rows("SELECT n_neuron_rows FROM run") == [(counts["neuron_activation"],)] == [(len(expected),)]


def test_what_cannot_be_among_the_strongest_stays_out(house: House) -> None:
    """The table of candidates does not grow with the shards: here each brings the same values, all larger but one."""
    shape = dataclasses.replace(MANY, shards=(1,) * 7)
    folder = house.parts(shape)
    for number, size in enumerate((1.0, 9.0, 8.0, 7.0, 9.0, 2.0, 3.0)):
        file = folder / f"shard-{number:05d}" / "shard.json"
        frames = shard_frames(shape, number, range(number, number + 1))
        rows = [(1, 0, 1, number, pos, size) for pos in range(2)]
        schema = SHARD_TABLES["neuron_activation"]
        frames["neuron_activation"] = pl.DataFrame(rows, schema=schema, orient="row")
        shutil.rmtree(file.parent)
        write_shard(folder, number, frames, (number, number))
    warehouse.register_run(house.path, folder)
    assert warehouse.load_shards(house.path, folder) == 7
    found = house.rows("SELECT seq_id, pos, activation FROM neuron_activation_part ORDER BY ALL")
    assert found == [(seq, pos, size) for seq, size in ((0, 1.0), (1, 9.0), (4, 9.0)) for pos in range(2)]


def test_a_run_without_neurons_has_none(house: House) -> None:
    folder = house.parts()
    described = json.loads((folder / "run.json").read_text())
    del described["run"]["options"]["neurons"]
    write_json(folder / "run.json", described)
    for number in range(2):
        frames = shard_frames(SHAPE, number, seqs_of(SHAPE, number))
        frames["neuron_activation"] = frames["neuron_activation"].clear()
        shutil.rmtree(folder / f"shard-{number:05d}")
        write_shard(folder, number, frames, (0, 1))
    manifest = json.loads((folder / "manifest.json").read_text())
    write_json(folder / "manifest.json", manifest | {"rows": manifest["rows"] | {"neuron_activation": 0}})
    warehouse.register_run(house.path, folder)
    warehouse.load_shards(house.path, folder)
    warehouse.complete_run(house.path, folder)
    assert house.counts()["neuron_activation"] == 0
    assert house.rows("SELECT n_neuron_rows FROM run") == [(0,)]


@pytest.mark.parametrize("damage", ["missing", "cut", "changed", "not finite"])
def test_damaged_activations_stop_the_shard(house: House, damage: str) -> None:
    """Nothing of the shard goes in; written again, it does, and the run is whole."""
    folder = house.parts()
    warehouse.register_run(house.path, folder)
    shard = folder / "shard-00001"
    file = shard / "neuron_activation.parquet"
    frames = shard_frames(SHAPE, 1, seqs_of(SHAPE, 1))
    error, told = PartsError, r"shard-00001.neuron_activation\.parquet is damaged .*remove .*shard-00001 and run ingest"
    if damage == "missing":
        file.unlink()
    if damage == "cut":
        file.write_bytes(file.read_bytes()[:-40])
    if damage == "changed":
        shutil.rmtree(shard)
        bad = frames | {"neuron_activation": frames["neuron_activation"].rename({"unit": "dim"})}
        write_shard(folder, 1, bad, (2, 2))
    if damage == "not finite":
        shutil.rmtree(shard)
        last = pl.int_range(pl.len()) == pl.len() - 1
        value = pl.when(last).then(np.inf).otherwise("activation").cast(pl.Float32).alias("activation")
        bad = frames | {"neuron_activation": frames["neuron_activation"].with_columns(value)}
        write_shard(folder, 1, bad, (2, 2))
        error, told = NumericsError, "activation at layer 2, seq_id 2, unit 2"
    with pytest.raises(error, match=told):
        warehouse.load_shards(house.path, folder)
    assert warehouse.loaded_shards(house.path, SHAPE.fingerprint) == {0}
    assert house.counts()["neuron_activation_part"] == len(strongest(SHAPE, range(2)))
    with pytest.raises(PartsError, match=r"lacks 1 of 2 shards \(1\)"):
        warehouse.complete_run(house.path, folder)
    shutil.rmtree(shard)
    write_shard(folder, 1, frames, (2, 2))
    assert warehouse.load_shards(house.path, folder) == 1
    warehouse.complete_run(house.path, folder)
    assert strongest_stored(house) == sorted(strongest(SHAPE, range(3)))


def test_dimensions_without_weights_stop_the_run(house: House) -> None:
    folder = house.parts()
    warehouse.register_run(house.path, folder)
    warehouse.load_shards(house.path, folder)
    weights = run_frames(SHAPE)["layer_weight"]
    extra = weights.tail(1).with_columns(dim=pl.lit(99, pl.Int32))
    pl.concat([weights, extra]).write_parquet(folder / "layer_weight.parquet")
    with pytest.raises(PartsError, match="has 11 layers x dimensions, 10 of them"):
        warehouse.complete_run(house.path, folder)
    assert house.rows("SELECT status FROM run") == [("running",)]


def test_models_texts_and_tokenizers_are_shared(house: House) -> None:
    one = house.ingest(Shape(seed=1))
    two = house.ingest(Shape(seed=2, model_seed=1, name="second"))
    three = house.ingest(Shape(seed=3, model_seed=1, name="third"))
    assert (one, two, three) == (1, 2, 3)
    counts = house.counts()
    assert (counts["model"], counts["tokenizer"], counts["corpus"], counts["run"]) == (2, 1, 1, 3)
    assert (counts["sequence"], counts["token"], counts["vocab"]) == (3, 12, 8)
    house.ingest(Shape(seed=4, tokenizer="letters", model="other"))
    counts = house.counts()
    assert (counts["model"], counts["tokenizer"], counts["corpus"]) == (3, 2, 1)
    assert (counts["sequence"], counts["token"], counts["vocab"]) == (3, 24, 16)


def test_a_longer_run_of_a_corpus_adds_its_texts(house: House) -> None:
    house.ingest(Shape(lengths=(4, 3), shards=(2,)))
    house.ingest(Shape(lengths=(4, 3, 5, 6), shards=(2, 2)))
    counts = house.counts()
    assert (counts["sequence"], counts["token"]) == (4, 18)


def test_other_tokens_for_a_known_text_are_refused(house: House) -> None:
    house.ingest(Shape(lengths=(4, 3), shards=(2,)))
    folder = house.parts(Shape(lengths=(4, 2), shards=(2,)))
    before = house.counts()
    with pytest.raises(PartsError, match=r"sequence 1 of corpus poem .* other tokens"):
        warehouse.register_run(house.path, folder)
    assert house.counts() == before


def test_loading_needs_a_registered_run(house: House) -> None:
    folder = house.parts()
    assert warehouse.find_run(house.path, SHAPE.fingerprint) is None
    assert warehouse.loaded_shards(house.path, SHAPE.fingerprint) == set()
    with pytest.raises(WarehouseError, match="run ingest again to enter it"):
        warehouse.load_shards(house.path, folder)
    assert (folder / "shard-00000").exists()


@pytest.mark.parametrize("file", ["run.json", "manifest.json", "vocab.parquet", "token.parquet"])
def test_damaged_run_files_are_named(house: House, file: str) -> None:
    folder = house.parts()
    if file != "manifest.json":
        (folder / file).write_text("{")
        with pytest.raises(PartsError, match=f"{file} is damaged"):
            warehouse.register_run(house.path, folder)
        assert not house.path.exists() or house.counts()["run"] == 0
    else:
        warehouse.register_run(house.path, folder)
        warehouse.load_shards(house.path, folder)
        (folder / file).unlink()
        with pytest.raises(PartsError, match=f"{file} is missing"):
            warehouse.complete_run(house.path, folder)


def test_other_formats_and_missing_fields_are_refused(house: House) -> None:
    folder = house.parts()
    content = json.loads((folder / "run.json").read_text())
    write_json(folder / "run.json", content | {"format": 1})
    with pytest.raises(PartsFormatError, match=f"parts format 1, this Lenshouse reads {PARTS_FORMAT}"):
        warehouse.register_run(house.path, folder)
    del content["model"]["d_ff"]
    write_json(folder / "run.json", content)
    with pytest.raises(PartsError, match=r"it lacks model\.d_ff"):
        warehouse.register_run(house.path, folder)


def test_a_busy_warehouse_can_be_left_for_later(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = house.parts()
    warehouse.register_run(house.path, folder)
    with connect.read(house.path):  # another connection of this process: DuckDB refuses the writer as it does processes
        assert warehouse.load_shards(house.path, folder, wait=0.05, if_busy="stop") == 0
        with pytest.raises(WarehouseBusyError):
            warehouse.load_shards(house.path, folder, wait=0.05)
    assert warehouse.load_shards(house.path, folder, wait=0.05, if_busy="stop") == 2
