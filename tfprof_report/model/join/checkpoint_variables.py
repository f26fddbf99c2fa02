"""Joins the variables of a checkpoint to nodes: tfprof gives these a type that account_type_regexes can match."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import list_offsets, list_values, make_lists, row_of_value, to_bools
from tfprof_report.diagnostics import Diagnostic, Severity
from tfprof_report.ingest.checkpoint import Checkpoint

CHECKPOINT_TYPE = "_checkpoint_variables"


def add_checkpoint_type(types: pa.ListArray, names: pa.Array, checkpoint: Checkpoint | None) -> pa.ListArray:
    """Return the types of each node, with `CHECKPOINT_TYPE` added for nodes named like a variable of the checkpoint."""
    if checkpoint is None:
        return types
    is_saved = to_bools(_saved(names, checkpoint))
    rows = np.append(row_of_value(list_offsets(types)), np.flatnonzero(is_saved))
    words = pa.concat_arrays(
        [list_values(types).cast(pa.string()), pa.array([CHECKPOINT_TYPE] * int(is_saved.sum()), pa.string())]
    )
    order = pa.array(np.argsort(rows, kind="stable"))
    return make_lists(words.take(order), np.bincount(rows, minlength=len(types)).astype(np.int64))


def compare_with_checkpoint(names: pa.Array, checkpoint: Checkpoint | None) -> list[Diagnostic]:
    """Return a note on the variables of the checkpoint that name no node; a warning if none of them names one."""
    if checkpoint is None:
        return []
    saved = pa.array(list(checkpoint.variables), pa.string())
    is_missing = ~to_bools(pc.is_in(saved, value_set=names))
    saved = pa.concat_arrays([saved, pa.array(checkpoint.others, pa.string())])
    missing = np.flatnonzero(np.append(is_missing, np.ones(len(checkpoint.others), dtype=bool)))
    if not len(missing):
        return []
    severity, text = Severity.NOTE, "variables of the checkpoint name no node"
    if len(missing) == len(saved):
        severity, text = Severity.WARNING, "no variable of the checkpoint names a node"
    return [Diagnostic.about(missing, saved, severity, "unmatched_checkpoint", text)]


def _saved(names: pa.Array, checkpoint: Checkpoint) -> pa.Array:
    return pc.is_in(names, value_set=pa.array(list(checkpoint.variables), pa.string()))
