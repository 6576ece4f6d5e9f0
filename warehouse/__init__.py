"""The warehouse: one DuckDB file of token-pair attributions that people query in SQL.

import warehouse
house = warehouse.open("lens.duckdb")
house.sql("SELECT layer, mean_change FROM v_change_by_layer WHERE component = 'FF' AND pair_filter = 'all'")
"""

from warehouse.analysis import Analysis, analyze
from warehouse.connect import make_usable
from warehouse.export import export, format_of
from warehouse.load import complete_run, load_shards
from warehouse.paths import parts_folder, warehouse_path
from warehouse.queries import Warehouse, open
from warehouse.register import RunRecord, find_run, loaded_shards, register_run
from warehouse.remove import remove_run

__all__ = [
    "Analysis",
    "RunRecord",
    "Warehouse",
    "analyze",
    "complete_run",
    "export",
    "find_run",
    "format_of",
    "load_shards",
    "loaded_shards",
    "make_usable",
    "open",
    "parts_folder",
    "register_run",
    "remove_run",
    "warehouse_path",
]
