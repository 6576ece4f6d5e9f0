"""`lenshouse doctor`: is everything in order here?"""

import importlib.metadata
import json
import platform
import shutil
from dataclasses import asdict
from pathlib import Path

import click
import polars as pl

from ingest.cli import options
from ingest.cli.terminal import print_table
from warehouse.check import Finding, check
from warehouse.errors import WarehouseError

_PACKAGES = ("lenshouse", "torch", "transformers", "duckdb", "polars", "pyarrow")


@click.command(name="doctor")
@options.warehouse
@click.option("--json", "as_json", is_flag=True, help="For programs.")
@options.verbose
def command(warehouse: Path, as_json: bool) -> None:
    """Check this machine and a warehouse: counts, values, completeness, orphans, unfinished runs.

    Exits with 1 when something is wrong.

    \b
    lenshouse doctor --warehouse lens.duckdb
    lenshouse doctor --json
    """
    findings = [*_machine(warehouse)]
    if warehouse.exists():
        findings += check(warehouse)
    else:
        findings.append(Finding("ok", "no warehouse yet", str(warehouse), "`lenshouse ingest` makes it"))
    if as_json:
        click.echo(json.dumps([asdict(finding) for finding in findings], indent=1))
    else:
        print_table(pl.DataFrame([asdict(finding) for finding in findings]))
    n_wrong = sum(finding.level == "error" for finding in findings)
    if n_wrong:
        msg = f"{n_wrong} of {len(findings)} checks failed: the last column says what to do"
        raise WarehouseError(msg)


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
