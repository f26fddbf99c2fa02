"""Detects a model that was built more than once in a graph, as ``model`` and ``model_1``, which inflates its totals.

A copy is a sibling scope with nearly the same ops under the same names that is independent of the first: layers that
feed each other, or that are parts of one model, are not copies. So is, whatever its size and with or without a scope, a
part of the graph with the same ops that no data connects with the first.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Floats, Ints, first_places, marks, sort_distinct, to_bools, to_ints
from tfprof_report.diagnostics import Diagnostic, Severity
from tfprof_report.later import Later
from tfprof_report.model.graph.reach import Flow
from tfprof_report.model.node_table import NodeTable
from tfprof_report.model.params.count import is_variable
from tfprof_report.model.parts.beside import beside_first
from tfprof_report.model.parts.parts import MODEL, data_flow, later_parts
from tfprof_report.model.parts.unconnected import equal_parts
from tfprof_report.model.shapes.batch import PLACEHOLDERS
from tfprof_report.record import record

LEAST_NODES = 20
"""Fewest nodes of a scope that counts as a model."""

LEAST_ALIKE = 0.8
"""Share of the smaller scope's nodes that the other one has too; below 1, as an evaluation model has no dropout."""

LEAST_SHARE = 0.5
"""Share of the graph's nodes, or of its FLOPs, that all copies together need; with less they are mere layers."""

MAX_LEVELS = 16
"""Deepest level of scopes that is searched."""

_SAME = " with the same variables"

_NUMBERED = r"(?s)^(?P<stem>.*?)(?:_(?P<number>[0-9]{1,9}))?$"


def find_copies(table: NodeTable, part: Later[Ints] | None = None) -> tuple[Diagnostic, ...]:
    """Return a warning with the copies and the figures that they add to totals; nothing if there are no copies.

    `part` is `later_parts` of the table, if it is there.
    """
    names = table.column("name")
    if not len(names) or not pc.any(pc.match_substring_regex(names, "_[0-9]+(/|$)")).as_py():
        return ()
    variables = to_bools(is_variable(table.column("op").cast(pa.string())))
    data = data_flow(table)
    reads = marks(data.target[variables[data.source]], len(names))
    reads = (reads & to_bools(pc.equal(table.ops, "Identity"))) | to_bools(pc.equal(table.ops, "ReadVariableOp"))
    works = ((part or later_parts(table))() == MODEL) & ~variables & ~reads
    float_ops = to_ints(pc.fill_null(table.column("float_ops"), 0)).astype(np.float64)
    holders = variables | marks(data.source[reads[data.target]], len(names))
    for level in _levels(names, table.ops, works, float_ops):
        for first, *others in level.families():
            is_beside = beside_first([first.rows, *(copy.rows for copy in others)], data, works)[1:]
            copies = [copy for copy, beside in zip(others, is_beside.tolist(), strict=True) if beside]
            if copies:
                rows = np.concatenate([copy.rows for copy in copies])
                return (_diagnose(table, first.name, copies, rows, _variables(first, copies, data, holders)),)
    return _unconnected(table, data, works, holders, float_ops)


def _unconnected(
    table: NodeTable, data: Flow, works: Bools, holders: Bools, float_ops: Floats
) -> tuple[Diagnostic, ...]:
    """Return a warning if the graph consists of copies without any connection, however small or flat they are.

    Copies have inputs of their own or the same variables: two networks of one structure on one input are one model.
    """
    names = table.column("name")
    works = works & to_bools(pc.not_equal(table.ops, "Const")) & to_bools(table.column("param_kind").is_null())
    inputs = to_bools(pc.is_in(table.ops, value_set=pa.array(PLACEHOLDERS)))
    for among, needs_same in ((works, False), (works & ~inputs, True)):
        parts = [
            _Scope(name=_name_of(names, rows), rows=rows)
            for rows in equal_parts(names, table.ops, data, among, float_ops)
        ]
        if not parts:
            continue
        first, *copies = parts
        inside = marks(np.concatenate([part.rows for part in parts]), len(names))
        nodes, costs = inside.sum() / among.sum(), float_ops[inside].sum() / max(float_ops[works].sum(), 1.0)
        variables = _variables(first, copies, data, holders)
        if max(nodes, costs) >= LEAST_SHARE and (variables == _SAME or not needs_same):
            of_first = data.before(marks(first.rows, len(names)))
            of_copies = data.before(marks(np.concatenate([copy.rows for copy in copies]), len(names)))
            is_flat = pc.index(names, first.name).as_py() >= 0
            name = f"what leads to {first.name}" if is_flat else first.name
            return (_diagnose(table, name, copies, np.flatnonzero(of_copies & ~of_first), variables),)
    return ()


def _name_of(names: pa.Array, rows: Ints) -> str:
    """Return the scope that nodes have in common, otherwise the name of the last one, to which the others lead."""
    tops = pc.list_element(pc.split_pattern(names.take(pa.array(rows)), "/", max_splits=1), 0)
    last = str(names[int(rows[-1])].as_py())
    return last.partition("/")[0] if len(tops.unique()) == 1 else last


@record
class _Scope:
    name: str
    rows: Ints


@record
class _Level:
    """The scopes of one level.

    row, scope, tail : per node in a scope its row, the number of the scope, and its name within the scope
    head, parent : per scope its own name, and the number of the enclosing scope
    names, ops, works, float_ops : of all nodes of the table; `works` marks the nodes of the model except for variables
        and reads of them
    """

    row: Ints
    scope: Ints
    tail: pa.Array
    head: pa.Array
    parent: Ints
    names: pa.Array
    ops: pa.Array
    works: Bools
    float_ops: Floats

    @property
    def nodes(self) -> Floats:
        return self._sums(self.works.astype(np.float64))

    @property
    def costs(self) -> Floats:
        return self._sums(np.where(self.works, self.float_ops, 0))

    def _sums(self, figures: Floats) -> Floats:
        return np.bincount(self.scope, weights=figures[self.row], minlength=len(self.parent)).astype(np.float64)

    def is_large(self, group: Ints) -> Bools:
        """Return per group of scopes whether it has `LEAST_SHARE` of all nodes or FLOPs."""
        nodes, costs = np.bincount(group, weights=self.nodes), np.bincount(group, weights=self.costs)
        all_costs = self.float_ops[self.works].sum()
        large: Bools = (nodes >= LEAST_SHARE * self.works.sum()) | ((costs >= LEAST_SHARE * all_costs) & (costs > 0))
        return large

    def families(self) -> Iterator[list[_Scope]]:
        """Yield groups of similar sibling scopes such as ``m``, ``m_1``, ``m_2``, the lowest number first.

        There are few groups, since each has a large share of the graph.
        """
        parts = pc.extract_regex(self.head, _NUMBERED)
        stem = to_ints(pc.struct_field(parts, "stem").dictionary_encode().indices)
        number = pc.struct_field(parts, "number")
        number = to_ints(pc.if_else(pc.equal(number, ""), "-1", number).cast(pa.int64()))
        group = sort_distinct([self.parent, stem])[1]
        large = self.is_large(group)[group] & (self.nodes >= LEAST_NODES)
        order = np.lexsort((number, group))
        for wanted in np.flatnonzero(np.bincount(group, weights=large) > 1):
            yield self._alike(order[large[order] & (group[order] == wanted)])

    def _alike(self, scopes: Ints) -> list[_Scope]:
        """Return the first of some scopes, and the others whose nodes are nearly the same."""
        place = np.full(len(self.parent), -1, dtype=np.int64)
        place[scopes] = np.arange(len(scopes))
        at = np.flatnonzero(place[self.scope] >= 0)
        at = at[np.argsort(place[self.scope[at]], kind="stable")]
        bounds = np.searchsorted(place[self.scope[at]], np.arange(len(scopes) + 1))
        working = at[self.works[self.row[at]]]
        scope, keys = place[self.scope[working]], self._keys(working)
        in_first = to_bools(pc.is_in(keys, value_set=keys.filter(pa.array(scope == 0))))
        same, size = np.bincount(scope[in_first], minlength=len(scopes)), np.bincount(scope, minlength=len(scopes))
        alike = np.flatnonzero(same >= LEAST_ALIKE * np.minimum(size, size[0]))
        return [self._scope(at[bounds[each] : bounds[each + 1]]) for each in alike]

    def _keys(self, at: Ints) -> pa.Array:
        """Return per node its name within the scope, and its op."""
        return pc.binary_join_element_wise(self.tail.take(pa.array(at)), self.ops.take(pa.array(self.row[at])), " ")

    def _scope(self, at: Ints) -> _Scope:
        tail, name = self.tail[int(at[0])].as_py(), self.names[int(self.row[at[0]])].as_py()
        return _Scope(name=name.removesuffix(f"/{tail}"), rows=self.row[at])


def _levels(names: pa.Array, ops: pa.Array, works: Bools, float_ops: Floats) -> Iterator[_Level]:
    """Yield the levels of scopes from the top; only scopes large enough to contain copies are descended into."""
    row, tail, above = np.arange(len(names)), names, np.zeros(len(names), dtype=np.int64)
    for _ in range(MAX_LEVELS):
        parts = pc.split_pattern(tail, "/", max_splits=1)
        inside = pc.greater(pc.list_value_length(parts), 1)
        parts, inner = parts.filter(inside), to_bools(inside)
        row, above = row[inner], above[inner]
        if not len(row):
            return
        heads, tail = pc.list_element(parts, 0).dictionary_encode(), pc.list_element(parts, 1)
        codes = to_ints(heads.indices)
        scope = sort_distinct([above, codes])[1]
        first = first_places(scope)
        level = _Level(
            row=row,
            scope=scope,
            tail=tail,
            head=heads.dictionary.take(pa.array(codes[first])),
            parent=above[first],
            names=names,
            ops=ops,
            works=works,
            float_ops=float_ops,
        )
        yield level
        large = level.is_large(np.arange(len(first)))[scope]
        row, tail, above = row[large], tail.filter(pa.array(large)), scope[large]


def _variables(first: _Scope, copies: list[_Scope], data: Flow, holders: Bools) -> str:
    """Return in words whether the copies read the variables of the first; empty if they read none."""
    count = len(holders)
    has_some = data.after(holders)
    has_same = data.after(data.before(marks(first.rows, count)) & holders)
    if not all(has_some[copy.rows].any() for copy in copies):
        return ""
    return _SAME if all(has_same[copy.rows].any() for copy in copies) else " with variables of its own"


def _diagnose(table: NodeTable, first: str, copies: list[_Scope], rows: Ints, variables: str) -> Diagnostic:
    words = {"float_ops": "FLOPs", "params": "parameters"}
    sums = {word: pc.sum(table.column(stem).take(pa.array(rows))).as_py() for stem, word in words.items()}
    figures = " and ".join(f"{value:,} {word}" for word, value in sums.items() if value)
    counted = f"totals have its {figures} too" if figures else "totals have both"
    text = f"nodes are a copy of {first}{variables}; {counted}; --outputs keeps one"
    return Diagnostic(
        severity=Severity.WARNING,
        code="built_twice",
        text=text,
        count=len(rows),
        examples=tuple(copy.name for copy in copies),
    )
