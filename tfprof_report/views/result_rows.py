"""The result of a query for programs: the shown rows as columns with the field names of tfprof's messages."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Ints, make_lists, prefix_sums, take_ranges, to_bools, to_ints
from tfprof_report.model.graph.edges import shapes_of_outputs
from tfprof_report.model.node_table import NodeTable
from tfprof_report.model.values import Measure, node_measures
from tfprof_report.options import Options
from tfprof_report.record import record
from tfprof_report.schema.metrics import ROOT
from tfprof_report.semantics import Semantics
from tfprof_report.views.forest import Forest, parents_of
from tfprof_report.views.layout import Layout
from tfprof_report.views.members import Members, device_lists
from tfprof_report.views.selection import Selection


@record
class ShownInputs:
    """Inputs of n rows: those of row i are ``offsets[i]:offsets[i + 1]``; unknown shapes are NULL."""

    offsets: Ints
    positions: Ints
    shapes: pa.ListArray

    def part(self, first: int, count: int) -> ShownInputs:
        """Return the inputs of `count` rows from `first` on."""
        offsets = self.offsets[first : first + count + 1]
        inputs = np.arange(offsets[0], offsets[-1])
        return ShownInputs(
            offsets=offsets - offsets[0], positions=self.positions[inputs], shapes=self.shapes.take(pa.array(inputs))
        )


def shown_inputs(table: NodeTable, nodes: Ints, semantics: Semantics) -> ShownInputs:
    """Return the inputs of `nodes` in order; node -1 has none."""
    edges = table.edges
    own = nodes >= 0
    starts = np.searchsorted(to_ints(edges["node"]), np.arange(table.count + 1))
    first = np.where(own, starts[nodes], 0)
    counts = np.where(own, starts[np.where(own, nodes + 1, 0)] - starts[nodes], 0)
    picked = edges.take(pa.array(take_ranges(first, counts)))
    row = np.repeat(np.arange(len(nodes)), counts)
    if not semantics.show_control_inputs:
        data = pc.invert(picked["is_control"])
        picked, row = picked.filter(data), row[to_bools(data)]
    slot = to_ints(picked["slot"])
    if semantics.ignore_output_index:
        slot = np.zeros_like(slot)
    source = to_ints(pc.fill_null(picked["source"], -1))
    return ShownInputs(
        offsets=prefix_sums(np.bincount(row, minlength=len(nodes))),
        positions=to_ints(picked["position"]),
        shapes=shapes_of_outputs(table.column("output_shapes"), source, slot),
    )


FIELDS = {
    "exec_micros": "micros",
    "accelerator_exec_micros": "accelerator_micros",
    "cpu_exec_micros": "cpu_micros",
    "requested_bytes": "bytes",
    "peak_bytes": "peak_bytes",
    "residual_bytes": "residual_bytes",
    "output_bytes": "output_bytes",
    "parameters": "params",
    "float_ops": "float_ops",
}
"""The figure of each numeric field that both messages have; ``total_`` + field is its total."""


GRAPH_NODE, MULTI_GRAPH_NODE = "GraphNodeProto", "MultiGraphNodeProto"


@record
class ResultRows:
    """Rows of a result in preorder, the root first.

    message : name of the message that represents a row
    parent : row of the parent, -1 for the root
    figures : one measure per numeric field
    devices, inputs : for rows that are one node
    members, member_offsets : for rows that are groups of nodes: the nodes of row i are
        ``member_offsets[i]:member_offsets[i + 1]`` of `members`, in name order
    """

    message: str
    names: pa.Array
    parent: Ints
    figures: dict[str, Measure]
    devices: pa.ListArray | None = None
    inputs: ShownInputs | None = None
    members: ResultRows | None = None
    member_offsets: Ints | None = None

    def __len__(self) -> int:
        return len(self.parent)

    @property
    def forest(self) -> Forest:
        """The rows as a forest, the root being its only top row."""
        return Forest.from_parents(self.parent)

    def parents_below(self, first: int, count: int) -> Ints:
        """Return the parents of `count` rows from `first` on, numbered from there; -1 for those that are not above."""
        parents: Ints = np.maximum(self.parent[first : first + count] - first, -1)
        return parents

    def part(self, first: int, count: int) -> ResultRows:
        """Return `count` rows from `first` on, such as a row and all below it, as a result by itself."""
        rows = np.arange(first, first + count)
        members, offsets = self.members, self.member_offsets
        if members is not None and offsets is not None:
            offsets = offsets[first : first + count + 1]
            members, offsets = members.part(int(offsets[0]), int(offsets[-1] - offsets[0])), offsets - offsets[0]
        return replace(
            self,
            names=self.names.take(pa.array(rows)),
            parent=self.parents_below(first, count),
            figures={field: measure.take(rows) for field, measure in self.figures.items()},
            devices=self.devices.take(pa.array(rows)) if self.devices is not None else None,
            inputs=self.inputs.part(first, count) if self.inputs is not None else None,
            members=members,
            member_offsets=offsets,
        )


def empty_rows(view: str, *, root: bool = False) -> ResultRows:
    """Return the empty result: a root with figures 0, and with a name only if `root`."""
    is_group = view in ("op", "code")
    zero = Measure.of_nodes(np.zeros(1, dtype=np.int64), np.ones(1, dtype=bool))
    rows = ResultRows(
        message=MULTI_GRAPH_NODE if is_group else GRAPH_NODE,
        names=pa.array([ROOT if root else ""]),
        parent=np.array([-1]),
        figures=dict.fromkeys(_fields(is_group=is_group), zero),
    )
    if not is_group:
        return replace(rows, devices=make_lists(pa.array([], pa.string()), np.zeros(1, dtype=np.int64)))
    return replace(rows, members=_no_members(rows), member_offsets=np.zeros(2, dtype=np.int64))


def _no_members(rows: ResultRows) -> ResultRows:
    none = Measure.of_nodes(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=bool))
    return ResultRows(
        message=GRAPH_NODE,
        names=rows.names.slice(0, 0),
        parent=rows.parent[:0],
        figures=dict.fromkeys(_fields(is_group=False), none),
        devices=make_lists(pa.array([], pa.string()), np.zeros(0, dtype=np.int64)),
    )


def _fields(*, is_group: bool) -> list[str]:
    own = [*FIELDS, *(f"total_{field}" for field in FIELDS)]
    return own if is_group else [*own, "run_count", "total_run_count", "total_definition_count"]


def build_result(
    table: NodeTable, layout: Layout, selection: Selection, options: Options, semantics: Semantics
) -> ResultRows:
    """Return the shown rows of a view as tfprof returns them; in op view each row is a child of the row before it."""
    rows, count = selection.rows, len(selection.rows)
    names = pa.concat_arrays([pa.array([ROOT]), layout.names.take(pa.array(rows)).cast(pa.string())])
    is_list = layout.view == "op"
    parent = np.arange(-1, count) if is_list else parents_of(np.append(1, selection.depth + 1))
    own = {stem: _prepend(measure.take(np.array([-1])), measure) for stem, measure in selection.self_shown.items()}
    totals = {stem: _prepend(selection.root[stem], measure) for stem, measure in selection.total_shown.items()}
    figures = {field: own[stem] for field, stem in FIELDS.items()}
    figures |= {f"total_{field}": totals[stem] for field, stem in FIELDS.items()}
    if layout.view in ("op", "code"):
        return _with_members(
            ResultRows(message=MULTI_GRAPH_NODE, names=names, parent=parent, figures=figures),
            table,
            Members(table, layout, rows, options, semantics),
            options,
            semantics,
        )
    figures |= {
        "run_count": own["run_count"],
        "total_run_count": totals["run_count"],
        "total_definition_count": totals["definition_count"],
    }
    nodes = np.append(-1, layout.node[rows])
    return ResultRows(
        message=GRAPH_NODE,
        names=names,
        parent=parent,
        figures=figures,
        devices=_devices(table, nodes, semantics),
        inputs=shown_inputs(table, nodes, semantics),
    )


def _with_members(
    rows: ResultRows, table: NodeTable, members: Members, options: Options, semantics: Semantics
) -> ResultRows:
    """Return `rows` with their member nodes; the totals of a member equal its own figures."""
    names = table.column("name").take(pa.array(members.nodes))
    order = np.lexsort((to_ints(pc.rank(names, sort_keys="ascending", tiebreaker="first")), members.row))
    nodes = members.nodes[order]
    measures = node_measures(table, step=options.step, semantics=semantics)
    own = {field: measures[stem].take(nodes) for field, stem in FIELDS.items()} | {
        "run_count": measures["run_count"].take(nodes)
    }
    one = Measure.of_nodes(np.ones(len(nodes), dtype=np.int64), np.ones(len(nodes), dtype=bool))
    counts = np.bincount(members.row, minlength=max(len(rows) - 1, 0))[: len(rows) - 1]
    return replace(
        rows,
        members=ResultRows(
            message=GRAPH_NODE,
            names=names.take(pa.array(order)),
            parent=np.full(len(nodes), -1),
            figures=own
            | {f"total_{field}": measure for field, measure in own.items()}
            | {"total_definition_count": one},
            devices=_devices(table, nodes, semantics),
            inputs=shown_inputs(table, nodes, semantics),
        ),
        member_offsets=np.concatenate([[0, 0], np.cumsum(counts)]).astype(np.int64),
    )


def _devices(table: NodeTable, nodes: Ints, semantics: Semantics) -> pa.ListArray:
    devices = device_lists(table, semantics).take(pa.array(nodes, mask=nodes < 0))
    if pa.types.is_list(devices.type):
        return devices
    present = to_bools(pc.is_valid(devices))
    return make_lists(devices.drop_null(), present.astype(np.int64))


def _prepend(first: Measure, others: Measure) -> Measure:
    return Measure(
        values=np.append(first.values, others.values),
        counted=np.append(first.counted, others.counted),
        unknown=np.append(first.unknown, others.unknown),
        divisor=others.divisor,
    )
