"""Delete a run and everything that only it used."""

from pathlib import Path
from typing import Final

from warehouse import connect, sqlfiles
from warehouse.errors import WarehouseError
from warehouse.load import remove_folder
from warehouse.locks import is_claimed
from warehouse.migrate import transaction
from warehouse.paths import parts_folder, warehouse_path
from warehouse.register import RunRecord, choose_run

_STEPS: Final = (
    *("remove_token_pair", "remove_token_norm", "remove_map_change", "remove_layer_dim"),
    *("remove_head_norm", "remove_head_pair", "remove_rollout", "remove_inlier_change"),
    *("remove_neuron_activation", "delete_neuron_activation_part"),
    *("remove_estimate", "analysis/clear_pattern_effect", "analysis/clear_outlier_dim", "analysis/clear_top_pair"),
    *("remove_group_estimate", "remove_group_difference", "remove_group_finding", "remove_group_analysis"),
    *("remove_seed_agreement", "remove_finding"),
    *("remove_analysis", "delete_layer_dim_part", "remove_loaded_part", "remove_run"),
)
ORPHANS: Final = (
    *("remove_orphan_model", "remove_orphan_corpus", "projection/remove_orphan_filter", "remove_orphan_tokenizer"),
    *("remove_orphan_sequence", "remove_orphan_token", "remove_orphan_vocab"),
    *("remove_orphan_word", "remove_orphan_annotation", "remove_orphan_pair_pattern"),
)
"""In this order: what a step leaves without an owner goes in a later one."""


def remove_run(path: Path, name_or_id: str | int, *, wait: float = connect.WRITER_WAIT) -> RunRecord:
    """Delete a run, its parts folder, and the model, texts and tokenizer that nothing else uses; returns what it was.

    A model with projections stays, with its tokenizer: `projections.remove` is for these. One transaction; the file
    keeps its size and uses the space for later runs. Raises WarehouseError when no run has that name or id, or when
    several have the name.
    """
    path = connect.existing(warehouse_path(path))
    with connect.write(path, wait) as con:
        with transaction(con):
            record = choose_run(con, path, name_or_id)
            folder = parts_folder(path) / record.fingerprint
            if is_claimed(folder):
                message = f"run {record.run_id} ({record.name}) is being ingested: stop that job first"
                raise WarehouseError(message)
            for step in _STEPS:
                con.execute(sqlfiles.query(step), {"run_id": record.run_id}).fetchall()
            for step in ORPHANS:
                con.execute(sqlfiles.query(step)).fetchall()
        con.execute("CHECKPOINT").fetchall()
    remove_folder(folder)
    return record
