"""Removing a run takes what only it used, and nothing else."""

import pytest

import warehouse
from tests.warehouse.conftest import House
from tests.warehouse.synthetic import Shape
from warehouse.errors import WarehouseError


def test_shared_things_stay(house: House) -> None:
    house.ingest(Shape(name="stays"))
    before = house.counts()
    house.ingest(Shape(name="goes", seed=1, model_seed=1))
    removed = warehouse.remove_run(house.path, "goes")
    assert (removed.run_id, removed.name, removed.status) == (2, "goes", "complete")
    assert house.counts() == before
    assert house.rows("SELECT run_name FROM v_run") == [("stays",)]


def test_what_only_it_used_goes(house: House) -> None:
    house.ingest(Shape(name="stays"))
    before = house.counts()
    house.ingest(Shape(name="goes", model="other", tokenizer="letters", corpus="novel"))
    warehouse.remove_run(house.path, 2)
    assert house.counts() == before
    house.ingest(Shape(name="same text", model="other", tokenizer="letters"))
    warehouse.remove_run(house.path, "same text")
    assert house.counts() == before
    warehouse.remove_run(house.path, "1")
    assert set(house.counts().values()) == {0}


def test_unfinished_runs_and_their_parts_go_too(house: House) -> None:
    folder = house.parts(Shape())
    warehouse.register_run(house.path, folder)
    warehouse.load_shards(house.path, folder, keep_parts=True)
    warehouse.remove_run(house.path, "first")
    assert set(house.counts().values()) == {0} and not folder.exists()
    assert house.ingest(Shape()) == 2  # an id is not given twice: a query that was kept must not mean another run


def test_space_is_used_again(house: House) -> None:
    shape = Shape(lengths=(60,) * 12, shards=(12,))
    sizes = []
    for round_ in range(4):
        house.ingest(Shape(lengths=shape.lengths, shards=shape.shards, seed=round_))
        sizes.append(house.path.stat().st_size)
        warehouse.remove_run(house.path, "first")
    assert sizes[-1] < 1.5 * sizes[0]


def test_ambiguous_and_unknown_names(house: House) -> None:
    house.ingest(Shape(seed=1))
    house.ingest(Shape(seed=2))
    with pytest.raises(WarehouseError, match=r"2 runs .* named first: give one of the ids 1, 2"):
        warehouse.remove_run(house.path, "first")
    with pytest.raises(WarehouseError, match=r"no run .* id 7: it holds 1 first, 2 first"):
        warehouse.remove_run(house.path, 7)
    with pytest.raises(WarehouseError, match="no warehouse"):
        warehouse.remove_run(house.path.with_name("none.duckdb"), 1)
    assert not warehouse.parts_folder(house.path.with_name("none.duckdb")).exists()
    assert house.counts()["run"] == 2
