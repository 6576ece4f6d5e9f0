"""The overview: what the warehouse holds, the claims at a glance, what is missing."""

import shlex
from pathlib import Path

import pytest

import warehouse
from dashboard import standing
from tests.dashboard.conftest import Show, drawn
from tests.dashboard.pages.test_parameters import fill
from tests.warehouse.analysis.support import shape
from tests.warehouse.conftest import House
from warehouse import connect

HOSTILE = "<script>alert(1)</script> **bold** [a](http://evil.example) \u202eesrever\x00 $x$ :red[b]" + "y" * 5000


def test_it_counts_what_there_is(studied: House, show: Show) -> None:
    tested = show("app", studied.path)
    [(pairs,)] = studied.rows("SELECT count(*) FROM token_pair")
    assert tested.markdown[0].value.startswith(
        f"**4** runs · **4** models · **1** corpora · **12** texts · **{pairs:,}** pair rows · **"
    )
    assert not tested.warning and not tested.info, "nothing is missing"
    runs, models = tested.dataframe[0].value, tested.dataframe[1].value
    assert runs["n_pairs"].tolist() == [shape().n_pairs] * 4 and (runs["loaded_share"] == 1).all()
    assert runs["max_completeness_error"].tolist() == [3e-7] * 4
    assert runs["bytes_approx"].sum() == pytest.approx(studied.path.stat().st_size, rel=0.3)
    assert models["model_name"].tolist() == ["left0", "left1", "right2", "right3"]


def test_the_claims_are_those_of_the_findings(studied: House, show: Show) -> None:
    cells = drawn(show("app", studied.path)).rows(named=True)
    found = warehouse.open(studied.path).sql("SELECT claim || ' ' || aspect, verdict, value FROM finding").rows()
    shown = [(cell["column"], cell["verdict"], cell["value"]) for cell in cells]
    assert sorted(shown, key=repr) == sorted(found, key=repr)
    assert {"1 left0 on poem", "group left on poem", "group right on poem"} <= {cell["subject"] for cell in cells}


def test_a_run_that_is_not_analysed(studied: House, show: Show, tmp_path: Path) -> None:
    house = House(tmp_path / "lens.duckdb")
    house.path.write_bytes(studied.path.read_bytes())
    house.ingest(shape(name="new", model="new", seed=9, model_seed=9, family=None))
    tested = show("app", house.path)
    assert "missing or stale" in tested.warning[0].value and "change" in tested.warning[0].value
    assert f"lenshouse analyze --warehouse {shlex.quote(str(house.path))}" in [code.value for code in tested.code]
    own = {
        cell["column"]: cell["verdict"] for cell in drawn(tested).rows(named=True) if cell["subject"] == "5 new on poem"
    }
    assert len(own) == 10 and set(own.values()) == {"not computed"}


def test_a_run_under_way(tmp_path: Path, show: Show) -> None:
    house = House(tmp_path / "lens.duckdb")
    folder = house.parts(shape(name="under way"))
    warehouse.register_run(house.path, folder)
    tested = show("app", house.path)
    assert not tested.exception and "**1** runs (1 still running)" in tested.markdown[0].value
    assert "No run is complete yet" in tested.info[0].value
    runs = tested.dataframe[0].value
    assert runs["status"].tolist() == ["running"] and runs["loaded_share"].tolist() == [0]
    warehouse.load_shards(house.path, folder)
    warehouse.complete_run(house.path, folder)
    tested.run()
    assert tested.dataframe[0].value["status"].tolist() == ["complete"], "no restart is needed"


def test_an_empty_warehouse(tmp_path: Path, show: Show) -> None:
    path = tmp_path / "lens.duckdb"
    with connect.write(path):
        pass
    tested = show("app", path)
    assert not tested.exception and "holds no run yet" in tested.info[0].value
    assert tested.code[0].value.startswith("lenshouse ingest --model")


def test_names_are_text(studied: House, show: Show, tmp_path: Path) -> None:
    house = House(tmp_path / "lens.duckdb")
    house.path.write_bytes(studied.path.read_bytes())
    with connect.write(house.path) as con:
        con.execute("UPDATE model SET name = $n || name, family = $n || family", {"n": HOSTILE})
        con.execute("UPDATE corpus SET name = $n", {"n": HOSTILE})
        con.execute("UPDATE run SET name = $n || name", {"n": HOSTILE})
    tested = show("app", house.path)
    assert not tested.exception
    assert not [box for box in (*tested.markdown, *tested.caption, *tested.subheader) if "script" in str(box.value)]
    options = tested.multiselect[0].options
    assert len(options) == 4 and all(len(option) <= 60 and option.isprintable() for option in options)


def test_a_run_leads_to_its_pages_and_shows_where_it_is_from(studied: House, show: Show) -> None:
    tested = show("app", studied.path)
    tested.session_state["all_runs_table"] = {"selection": {"rows": [1], "columns": [], "cells": []}}
    tested.run()
    assert not tested.exception
    links = [link.proto for link in tested.get("page_link")]
    assert {link.label for link in links} >= {"Change", "Compare runs"}
    assert all("left1" in link.query_string for link in links)
    provenance = next(table.value for table in tested.dataframe if "what" in table.value.columns)
    recorded = dict(provenance.itertuples(index=False))
    assert recorded["weights_sha256"] == "wleft11" and recorded["torch_version"] == "2.8.0"


def test_it_looks_again_when_the_file_has_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "lens.duckdb"
    path.write_text("a")
    monkeypatch.setenv("LENSHOUSE_WAREHOUSE", str(path))
    calls, looks = [], []

    def fragment(run_every: float):
        assert run_every == standing.EVERY
        return lambda look: looks.append(look) or look

    monkeypatch.setattr(standing.st, "fragment", fragment)
    monkeypatch.setattr(standing.st, "rerun", lambda: calls.append("again"))
    standing.follow()
    looks[0]()
    assert calls == []
    path.write_text("ab")
    looks[0]()
    assert calls == ["again"]


def add_parameters_alone(house: House) -> None:
    """A model that has no run, with a claim about its parameters."""
    with connect.write(house.path) as con:
        fill(con, "tokenizer", tokenizer_id=90, name="t")
        fill(con, "model", model_id=90, name="alone", tokenizer_id=90)
        fill(con, "finding", claim="P4", aspect="transfer", model_id=90, verdict="fails", value=-0.5)


def test_parameters_of_a_model_without_runs_have_their_claims(studied: House, show: Show, tmp_path: Path) -> None:
    house = House(tmp_path / "lens.duckdb")
    house.path.write_bytes(studied.path.read_bytes())
    add_parameters_alone(house)
    cells = drawn(show("app", house.path)).filter(column="P4 transfer")
    assert cells["subject", "verdict", "value"].rows() == [("model 90 alone", "fails", -0.5)]


def test_a_warehouse_of_parameters_alone(show: Show, tmp_path: Path) -> None:
    house = House(tmp_path / "lens.duckdb")
    add_parameters_alone(house)
    tested = show("app", house.path)
    assert not tested.exception and "holds no run yet" in tested.info[0].value
    assert drawn(tested)["subject", "verdict"].rows() == [("model 90 alone", "fails")]
    assert tested.dataframe[0].value["model_name"].tolist() == ["alone"]
