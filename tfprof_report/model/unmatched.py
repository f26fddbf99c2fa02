"""What the inputs name and no node is: with the nodes' records it adds up to the input, so nothing is dropped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

UNMATCHED = pa.schema([("input", pa.string()), ("name", pa.string()), ("records", pa.int64())])
"""Columns: the input (``graph``, ``run_meta`` or ``op_log``), the name as it is written there, and how often."""


def unmatched_table(*, dangling: pa.Array, helpers: Mapping[str, int], log_names: Sequence[str]) -> pa.Table:
    """Return one row per input and name, in this order: inputs of nodes, run metadata records, op log entries.

    Parameters
    ----------
    dangling : inputs of graph nodes whose source the graph does not have, as written
    helpers : records of the runtime itself by name, such as tensor transfers
    log_names : names of op log entries that no node has
    """
    parts = [
        _counted("graph", dangling),
        pa.table([["run_meta"] * len(helpers), list(helpers), list(helpers.values())], schema=UNMATCHED),
        _counted("op_log", pa.array(log_names, pa.string())),
    ]
    return pa.concat_tables(parts)


def _counted(source: str, names: pa.Array) -> pa.Table:
    counts = pc.value_counts(names)
    columns = [[source] * len(counts), counts.field("values"), counts.field("counts")]
    return pa.table(columns, schema=UNMATCHED)
