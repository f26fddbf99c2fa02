"""Detects a model that was built more than once in a graph, as ``model`` and ``model_1``, which inflates its totals.

A copy is a sibling scope with nearly the same ops under the same names that is independent of the first: layers that
feed each other, or that are parts of one model, are not copies. So is, whatever its size and with or without a scope, a
part of the graph with the same ops that no data connects with the first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Floats, Ints, marks, to_bools, to_ints
from tfprof_report.diagnostics import Diagnostic, Severity
from tfprof_report.model.graph.reach import Flow
from tfprof_report.model.node_table import NodeTable
from tfprof_report.model.params.count import is_variable
from tfprof_report.model.parts.parts import MODEL, data_flow, parts_of
from tfprof_report.model.parts.unconnected import equal_parts
from tfprof_report.model.shapes.batch import PLACEHOLDERS

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


def find_copies(table: NodeTable) -> tuple[Diagnostic, ...]:
    """Return a warning with the copies and the figures that they add to totals; nothing if there are no copies."""
    names = table.column("name")
    if not len(names) or not pc.any(pc.match_substring_regex(names, "_[0-9]+(/|$)")).as_py():
        return ()
    variables = to_bools(is_variable(table.column("op").cast(pa.string())))
    data = data_flow(table)
    reads = marks(data.target[variables[data.source]], len(names))
    reads = (reads & to_bools(pc.equal(table.ops, "Identity"))) | to_bools(pc.equal(table.ops, "ReadVariableOp"))
    works = (parts_of(table) == MODEL) & ~variables & ~reads
    float_ops = to_ints(pc.fill_null(table.column("float_ops"), 0)).astype(np.float64)
    holders = variables | marks(data.source[reads[data.target]], len(names))
    for level in _levels(names, table.ops, works, float_ops):
        for first, *others in level.families():
            copies = [copy for copy in others if _is_beside(copy.rows, first.rows, data, works)]
            if copies:
                return (_diagnose(table, first, copies, _variables(first, copies, data, holders)),)
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
            whole = [np.flatnonzero(data.before(marks(copy.rows, len(names))) & ~of_first) for copy in copies]
            copies = [_Scope(name=copy.name, rows=rows) for copy, rows in zip(copies, whole, strict=True)]
            is_flat = pc.index(names, first.name).as_py() >= 0
            first = _Scope(name=f"what leads to {first.name}" if is_flat else first.name, rows=first.rows)
            return (_diagnose(table, first, copies, variables),)
    return ()


def _name_of(names: pa.Array, rows: Ints) -> str:
    """Return the scope that nodes have in common, otherwise the name of the last one, to which the others lead."""
    tops = pc.list_element(pc.split_pattern(names.take(pa.array(rows)), "/", max_splits=1), 0)
    last = str(names[int(rows[-1])].as_py())
    return last.partition("/")[0] if len(tops.unique()) == 1 else last


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scope:
    name: str
    rows: Ints


@dataclass(frozen=True, slots=True, kw_only=True)
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
        group = _numbered(self.parent, stem)
        large = self.is_large(group)[group] & (self.nodes >= LEAST_NODES)
        order = np.lexsort((number, group))
        for wanted in np.flatnonzero(np.bincount(group, weights=large) > 1):
            scopes = [int(scope) for scope in order[large[order] & (group[order] == wanted)]]
            yield [self._scope(scope) for scope in self._alike(scopes)]

    def _alike(self, scopes: list[int]) -> list[int]:
        """Return the first scope, and the others whose nodes are nearly the same."""
        keys = {scope: self._keys(scope) for scope in scopes}
        first = keys[scopes[0]]
        same = {scope: pc.sum(pc.is_in(key, value_set=first), min_count=0).as_py() for scope, key in keys.items()}
        return [scope for scope, key in keys.items() if same[scope] >= LEAST_ALIKE * min(len(key), len(first))]

    def _keys(self, scope: int) -> pa.Array:
        """Return per node its name within the scope, and its op."""
        at = np.flatnonzero((self.scope == scope) & self.works[self.row])
        ops = self.ops.take(pa.array(self.row[at]))
        return pc.binary_join_element_wise(self.tail.take(pa.array(at)), ops, " ")

    def _scope(self, scope: int) -> _Scope:
        at = np.flatnonzero(self.scope == scope)
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
        scope = _numbered(above, codes)
        _, first = np.unique(scope, return_index=True)
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


def _numbered(first: Ints, second: Ints) -> Ints:
    """Return the index of each pair among the sorted distinct pairs."""
    numbers: Ints = np.unique(first * (int(second.max(initial=0)) + 1) + second, return_inverse=True)[1]
    return numbers.reshape(-1)


def _is_beside(copy: Ints, first: Ints, data: Flow, works: Bools) -> bool:
    """Return whether a scope is independent of the first: neither feeds the other, nor are both parts of one model.

    They are parts of one model if a node depends on the results of both, and both depend on the same sources outside
    themselves. Nodes without inputs, such as variables that both scopes use, are not results.
    """
    is_result = works & marks(data.target, len(works))
    here, there = (marks(rows, len(works)) for rows in (copy, first))
    after_here, after_there = (data.after(scope & is_result) for scope in (here, there))
    if (after_here & there).any() or (after_there & here).any():
        return False
    is_joined = (after_here & after_there & works).any()
    return not is_joined or bool((_begins(data, here) != _begins(data, there)).any())


def _begins(data: Flow, scope: Bools) -> Bools:
    """Return the sources outside a scope that it depends on: nodes without inputs from which it is reachable."""
    return data.before(scope) & ~marks(data.target, len(scope)) & ~scope


def _variables(first: _Scope, copies: list[_Scope], data: Flow, holders: Bools) -> str:
    """Return in words whether the copies read the variables of the first; empty if they read none."""
    own, *theirs = (data.before(marks(scope.rows, len(holders))) & holders for scope in (first, *copies))
    if not all(read.any() for read in theirs):
        return ""
    return _SAME if all((read & own).any() for read in theirs) else " with variables of its own"


def _diagnose(table: NodeTable, first: _Scope, copies: list[_Scope], variables: str) -> Diagnostic:
    rows = np.concatenate([copy.rows for copy in copies])
    words = {"float_ops": "FLOPs", "params": "parameters"}
    sums = {word: pc.sum(table.column(stem).take(pa.array(rows))).as_py() for stem, word in words.items()}
    figures = " and ".join(f"{value:,} {word}" for word, value in sums.items() if value)
    counted = f"totals have its {figures} too" if figures else "totals have both"
    text = f"nodes are a copy of {first.name}{variables}; {counted}; --outputs keeps one"
    return Diagnostic(
        severity=Severity.WARNING,
        code="built_twice",
        text=text,
        count=len(rows),
        examples=tuple(copy.name for copy in copies),
    )
