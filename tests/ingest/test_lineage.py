"""What files say of a model's base: the record of a training, else the hub id that it was loaded from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ingest.lineage import Base, base_of


def folder(tmp_path: Path, **files: object) -> Path:
    for name, content in files.items():
        (tmp_path / f"{name}.json").write_text(content if isinstance(content, str) else json.dumps(content))
    return tmp_path


def test_a_record_goes_before_the_configuration(tmp_path) -> None:
    training = {"base_model": "small", "base_weights_sha256": "12ab"}
    found = base_of(folder(tmp_path, training=training, config={"_name_or_path": "org/other"}), "tuned")
    assert found == Base("small", "12ab")


@pytest.mark.parametrize("record", [{}, {"base_model": None}, {"base_model": 3}, [], "{not json"])
def test_a_record_without_a_base_says_nothing(tmp_path, record) -> None:
    assert base_of(folder(tmp_path, training=record), "tuned") is None
    assert base_of(folder(tmp_path, config={"_name_or_path": "bert-base-uncased"}), "tuned") == Base(
        "bert-base-uncased", None
    )


@pytest.mark.parametrize(
    "loaded_from",
    [
        "/home/me/bert",
        "./bert",
        "../bert",
        "a/b/c",
        "",
        "tuned",
        "org/Tuned",
        "checkpoint-500",
        "out/checkpoint-9",
        None,
        4,
    ],
)
def test_paths_and_the_model_itself_are_no_base(tmp_path, loaded_from) -> None:
    assert base_of(folder(tmp_path, config={"_name_or_path": loaded_from}), "me/tuned") is None


def test_nothing_there_is_no_base(tmp_path) -> None:
    assert base_of(tmp_path, "tuned") is None
