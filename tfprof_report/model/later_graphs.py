"""Nodes that a later graph of the same run defines, after run metadata spoke of them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.ingest.arrays import to_bools
from tfprof_report.ingest.graph import GraphColumns
from tfprof_report.ingest.run_meta import RunMetaColumns
from tfprof_report.semantics import Semantics


def defined_nodes(
    graph: GraphColumns, run_metas: tuple[tuple[int, RunMetaColumns], ...], semantics: Semantics
) -> pa.Table:
    """Return the nodes of the graphs; under tfprof without those that run metadata made known before their graph.

    Such a node came into being without a definition, and tfprof does not look at the one that comes later.
    """
    if graph.late is None or not semantics.late_definitions_are_lost:
        return graph.nodes
    is_lost = np.zeros(graph.nodes.num_rows, dtype=bool)
    for after in np.unique(graph.late[graph.late > 0]).tolist():
        earlier = [columns.executions["node_name"] for _, columns in run_metas[:after] if columns.has_step_stats]
        ran = pa.chunked_array([chunk for names in earlier for chunk in names.chunks], pa.string()).unique()
        is_lost |= (graph.late == after) & to_bools(pc.is_in(graph.nodes["name"], value_set=ran))
    return graph.nodes.filter(pa.array(~is_lost))
