"""The graph view: a depth-first forest from outputs to inputs; a node is below the first consumer that reaches it."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import to_ints
from tfprof_report.graph_search import depth_first
from tfprof_report.model.node_table import NodeTable
from tfprof_report.semantics import Semantics
from tfprof_report.views.forest import Forest, depths_of
from tfprof_report.views.layout import Layout

GRAPH_TYPE = "_TFGraphParent"
"""Op type that tfprof gives to the root of the graph view."""

IN_A_CYCLE = "in a cycle"
"""Name of the row above nodes that are reachable only from a cycle."""


def build_graph_layout(table: NodeTable, semantics: Semantics) -> Layout:
    """Return the depth-first forest of a graph: nodes without consumers at the top in name order, inputs below.

    Inputs are in their order in the node, each where it is first visited. Under tfprof's semantics control inputs are
    followed too, and nodes that are reachable only from a cycle are missing; otherwise they are below one artificial
    row.
    """
    count = table.count
    edges = table.edges.filter(pc.is_valid(table.edges["source"]))
    if not semantics.show_control_inputs:
        edges = edges.filter(pc.invert(edges["is_control"]))
    consumer, source = to_ints(edges["node"]), to_ints(edges["source"])
    by_name = to_ints(pc.sort_indices(table.column("name")))
    is_top = np.ones(count, dtype=bool)
    is_top[source] = False
    tops = by_name[is_top[by_name]]
    # Two artificial nodes: `count` is the root, which leads to the tops; `count + 1` is the row "in a cycle". It is the
    # last child of the root and leads to every node, so that it gets exactly those that were not visited before.
    if semantics.drop_cycles:
        starts, owner = tops, np.full(len(tops), count)
    else:
        starts = np.concatenate([tops, [count + 1], by_name])
        owner = np.concatenate([np.full(len(tops) + 1, count), np.full(count, count + 1)])
    visited, parent = depth_first(
        np.concatenate([consumer, owner]), np.concatenate([source, starts]), root=count, count=count + 2
    )
    row = np.full(count + 2, -1)
    row[visited] = np.arange(len(visited))
    above = np.where(parent == count, -1, row[parent])
    if len(visited) and visited[-1] == count + 1:  # it has no rows below it: there is no cycle
        visited, above = visited[:-1], above[:-1]
    names = pa.concat_arrays([table.column("name"), pa.array([None, _unused(IN_A_CYCLE, table.column("name"))])])
    shown = names.take(pa.array(visited))
    return Layout(
        view="graph",
        forest=Forest.from_depths(depths_of(above)),
        names=shown,
        leaves=shown,
        row_of_node=row[:count],
    )


def _unused(label: str, names: pa.Array) -> str:
    """Return `label`, in parentheses as long as a node has this name: rows are identified by their names."""
    while pc.any(pc.equal(names, label)).as_py():
        label = f"({label})"
    return label
