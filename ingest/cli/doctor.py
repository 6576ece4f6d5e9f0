"""`lenshouse doctor`: is everything in order here?"""

import importlib.metadata
import json
import platform
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import polars as pl

from ingest.cli import options
from ingest.cli.terminal import print_table, progress
from warehouse.check import Finding, check
from warehouse.errors import ModelError, WarehouseError
from warehouse.wording import plural

if TYPE_CHECKING:
    from ingest.models import Dtype

_PACKAGES = ("lenshouse", "torch", "transformers", "duckdb", "polars", "pyarrow")


@click.command(name="doctor")
@options.warehouse
@click.option("--model", metavar="MODEL", help="Check this model instead: a folder, or a hub id.")
@click.option("--revision", help="Of a hub model: branch, tag or commit.")
@options.device
@click.option(
    "--dtype",
    type=click.Choice(["float32", "tf32", "bfloat16", "float16"]),
    default="float32",
    show_default=True,
    help="Precision in which the model is loaded.",
)
@click.option("--json", "as_json", is_flag=True, help="For programs.")
@options.verbose
def command(
    warehouse: Path, model: str | None, revision: str | None, device: str, dtype: "Dtype", as_json: bool
) -> None:
    """Check this machine and a warehouse, or a model.

    Of a warehouse: counts, values, completeness, orphans, unfinished runs. Of a model: whether its maps can be trusted:
    pieces sum to its states in every layer; batching, padding and the kind of attention change nothing; what half
    precision costs. Paste the table into a report. Exits with 1 when something is wrong.

    \b
    lenshouse doctor --warehouse lens.duckdb
    lenshouse doctor --model gpt2
    lenshouse doctor --json
    """
    if model is not None:
        _check_model(model, revision, device, dtype, as_json)
    else:
        _check_warehouse(warehouse, as_json)


def _check_warehouse(warehouse: Path, as_json: bool) -> None:
    findings = [*_machine(warehouse)]
    if warehouse.exists():
        findings += check(warehouse)
    else:
        findings.append(Finding("ok", "no warehouse yet", str(warehouse), "`lenshouse ingest` makes it"))
    _show([asdict(finding) for finding in findings], as_json)
    wrong = [finding for finding in findings if finding.level == "error"]
    if wrong:
        where = "the last column" if all(finding.todo for finding in wrong) else "the message in the table"
        msg = f"{len(wrong)} of {plural(len(findings), 'check')} failed: {where} says what to do"
        raise WarehouseError(msg)


def _check_model(spec: str, revision: str | None, device: str, dtype: "Dtype", as_json: bool) -> None:
    from ingest.examine import examine
    from ingest.models import load_model

    with progress() as bar:
        bar.phase(f"loading {spec}")
        model, tokenizer = load_model(spec, revision=revision, device=device, dtype=dtype)
        bar.phase("checking it")
        checks = list(examine(model, tokenizer))
    facts = model.describe()
    if not as_json:
        keys = ("model_type", "placement", "component_order", "n_layer", "n_head", "n_kv_head", "d_model", "d_ff")
        versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in _PACKAGES[:3])
        click.echo(f"{model.name}: {', '.join(f'{key} {facts[key]}' for key in keys)}")
        click.echo(f"{dtype} on {model.device}; {versions}")
    _show([asdict(check) for check in checks], as_json)
    failed = [check for check in checks if check.verdict == "FAILED"]
    if failed:
        msg = (
            f"{model.name}: {len(failed)} of {len(checks)} checks failed, first '{failed[0].check}' at "
            f"{failed[0].where}: do not trust its maps; report the table"
        )
        raise ModelError(msg)


def _show(rows: list[dict[str, Any]], as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(rows, indent=1))
    else:
        print_table(pl.DataFrame(rows))


def _machine(warehouse: Path) -> list[Finding]:
    import torch

    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in _PACKAGES)
    n_gpu = torch.cuda.device_count()
    devices = ", ".join(torch.cuda.get_device_name(i) for i in range(n_gpu)) or "no GPU, the CPU is used"
    free = shutil.disk_usage(warehouse.absolute().parent if warehouse.absolute().parent.exists() else Path()).free
    room = f"{free / 2**30:.1f} GiB free"
    full = Finding("warning", room, str(warehouse.absolute().parent), "a pair row takes about 30 bytes: make room")
    return [
        Finding("ok", versions, f"Python {platform.python_version()}"),
        Finding("ok", devices, f"{torch.get_num_threads()} threads"),
        full if free < 2**30 else Finding("ok", room, str(warehouse.absolute().parent)),
    ]
