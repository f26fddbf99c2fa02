"""The rows that gates judge: the whole model, nodes, scopes and op types of both sides, with exact figures.

A scope consists of the node of its name and all nodes below it, an op type of all its nodes, independent of the
report's options. The whole model is a single row, whose figures are the totals of the report.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, to_bools, to_ints
from tfprof_report.compare.comparison import Comparison, RowStatus, State
from tfprof_report.compare.delta import is_one_of
from tfprof_report.compare.exact_figures import Exact, NodeFigures, add_up, figures_of, sum_of, times
from tfprof_report.compare.exact_totals import DEVICE_PEAK, exact_total
from tfprof_report.compare.gates.policy import Subject
from tfprof_report.compare.side import Side
from tfprof_report.views.forest import Forest, sum_subtrees
from tfprof_report.views.scope import build_scope_layout


@dataclass(frozen=True, slots=True, kw_only=True)
class RowFigures:
    """One metric of n rows on both sides: ``base / divisor`` and ``head / divisor``, exact.

    base, head : the sums of known figures; a row that a side lacks has a known 0 there, and without a comparison all of
        base is unknown
    base_known, head_known : whether any figure of the row is known
    base_nodes, head_nodes : the numbers of its nodes with a known figure, and that could have one
    lost, now_known : the numbers of its matched nodes whose figure changed from known to unknown, and back
    """

    base: Exact
    head: Exact
    base_known: Bools
    head_known: Bools
    base_nodes: tuple[Ints, Ints]
    head_nodes: tuple[Ints, Ints]
    lost: Ints
    now_known: Ints
    divisor: int = 1

    def __len__(self) -> int:
        return len(self.base)

    def at(self, row: int) -> tuple[Fraction | None, Fraction | None]:
        """Return base's and head's figure of one row, None where it is unknown."""
        base = Fraction(int(self.base[row]), self.divisor) if self.base_known[row] else None
        head = Fraction(int(self.head[row]), self.divisor) if self.head_known[row] else None
        return base, head


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rows:
    """The rows of a subject, and the row of each node on each side (-1 for none)."""

    names: pa.Array
    of_base: Ints
    of_head: Ints
    forest: Forest | None = None

    def add(self, values: Exact, of_node: Ints) -> Exact:
        """Return for each row the sum over its nodes."""
        return self._with_below(add_up(values, of_node, len(self.names)))

    def count(self, nodes: Bools, of_node: Ints) -> Ints:
        """Return for each row the number of its nodes for which `nodes` is true."""
        return self._with_below(np.bincount(of_node[nodes & (of_node >= 0)], minlength=len(self.names)))

    def _with_below(self, sums: Exact) -> Exact:
        """Return the sums over subtrees, if the rows form a forest."""
        return sums if self.forest is None else sum_subtrees(self.forest, sums)


@dataclass(slots=True)
class Subjects:
    """The rows of head, and of base if there is a comparison, by subject; computed on demand and cached."""

    head: Side
    comparison: Comparison | None
    _rows: dict[Subject, _Rows] = field(default_factory=dict)
    _figures: dict[tuple[Subject, str], RowFigures] = field(default_factory=dict)
    _nodes: dict[str, tuple[NodeFigures, NodeFigures]] = field(default_factory=dict)
    _places: tuple[Ints, Ints] | None = None

    def names(self, subject: Subject) -> pa.Array:
        """Return the names of a subject's rows."""
        return self._rows_of(subject).names

    def figures(self, subject: Subject, metric: str) -> RowFigures:
        """Return a metric of a subject's rows."""
        key = subject, metric
        if key not in self._figures:
            is_total = subject is Subject.MODEL
            self._figures[key] = self._total(metric) if is_total else self._sum(self._rows_of(subject), metric)
        return self._figures[key]

    def base_with(self, subject: Subject, metric: str, accepted: Bools) -> Exact:
        """Return base's figures of a subject's rows, with those of the `accepted` nodes replaced by head's.

        An accepted new node is added to base. A node that is known on one side only keeps base's figure.
        """
        if subject is Subject.MODEL:
            return self._total_with(metric, accepted)
        rows, (old, new) = self._rows_of(subject), self.nodes(metric)
        base_row, head_row = self.places()
        is_head = accepted & (old.known | (base_row < 0)) & (new.known | (head_row < 0))
        values = np.concatenate([np.where(is_head, 0, old.values), np.where(is_head, new.values, 0)])
        return rows.add(values, np.concatenate([rows.of_base, rows.of_head]))

    def sum_steps(self, subject: Subject, times: Exact, *, is_head: bool) -> Exact:
        """Return the sums over the nodes of each row in each step, as an array of rows by steps.

        `times` are the times of the nodes of one side (`step_times.times_of_nodes`).
        """
        rows, place = self._rows_of(subject), self.places()[is_head]
        is_there = place >= 0
        of_node = (rows.of_head if is_head else rows.of_base)[is_there]
        sums = [rows.add(column, of_node) for column in times[place[is_there]].T]
        return np.stack(sums, axis=1)

    def in_row(self, subject: Subject, row: int) -> Bools:
        """Return which nodes, of either side, belong to a row of a subject."""
        if subject is Subject.MODEL:
            return np.ones(len(self.places()[0]), dtype=bool)
        rows = self._rows_of(subject)
        # In preorder a subtree is a range of rows.
        end = row + (int(rows.forest.size[row]) if rows.forest else 1)
        found: Bools = ((rows.of_base >= row) & (rows.of_base < end)) | ((rows.of_head >= row) & (rows.of_head < end))
        return found

    def is_leaf(self, subject: Subject, row: int) -> bool:
        """Return whether a row is a scope with nothing below it: the node of its name."""
        forest = self._rows_of(subject).forest
        return forest is not None and int(forest.size[row]) == 1

    def nodes(self, metric: str) -> tuple[NodeFigures, NodeFigures]:
        """Return a metric of the nodes of either side, in the order of `Comparison.nodes` and with one divisor."""
        if metric not in self._nodes:
            base_row, head_row = self.places()
            new = _figures_of(self.head, metric)
            old = _figures_of(self.comparison.base, metric) if self.comparison else new
            divisor = lcm(old.divisor, new.divisor)
            self._nodes[metric] = _placed(old, base_row, divisor), _placed(new, head_row, divisor)
        return self._nodes[metric]

    def places(self) -> tuple[Ints, Ints]:
        """Return for each row of `Comparison.nodes` the row of either side's nodes, -1 where the side lacks it."""
        if self._places is None:
            self._places = _places(self.head, self.comparison)
        return self._places

    def _rows_of(self, subject: Subject) -> _Rows:
        if subject not in self._rows:
            self._rows[subject] = self._build(subject)
        return self._rows[subject]

    def _build(self, subject: Subject) -> _Rows:
        nodes = self.head.nodes if self.comparison is None else self.comparison.nodes
        names = nodes["name"].combine_chunks().cast(pa.string())
        in_base, in_head = (place >= 0 for place in self.places())
        rows = np.arange(len(names))
        if subject is Subject.NODE:
            return _Rows(names=names, of_base=np.where(in_base, rows, -1), of_head=np.where(in_head, rows, -1))
        if subject is Subject.SCOPE:
            distinct = names.dictionary_encode()
            layout = build_scope_layout(distinct.dictionary)
            row = layout.row_of_node[to_ints(distinct.indices)]
            return _Rows(
                names=layout.names.cast(pa.string()),
                of_base=np.where(in_base, row, -1),
                of_head=np.where(in_head, row, -1),
                forest=layout.forest,
            )
        columns = ("base_op", "head_op") if self.comparison is not None else ("op", "op")
        # A node that occurs only in run metadata has no op type; its name is used instead, as in op view.
        ops = pa.concat_arrays(
            [
                pc.if_else(
                    pa.array(is_there), pc.coalesce(nodes[column].combine_chunks().cast(pa.string()), names), None
                )
                for column, is_there in zip(columns, (in_base, in_head), strict=True)
            ]
        )
        codes = ops.dictionary_encode()
        row = to_ints(codes.indices.fill_null(-1))
        return _Rows(names=codes.dictionary, of_base=row[: len(names)], of_head=row[len(names) :])

    def _total(self, metric: str) -> RowFigures:
        """Return the total over the whole model as a row, with a common divisor for the means of both sides."""
        comparison = self.comparison
        total = comparison.total_of(metric) if comparison else None
        base = total.exact_base if total else None
        head = total.exact_head if total else exact_total(self.head, metric)
        shares = (total.base_known, total.base_capable, total.head_known, total.head_capable) if total else (0, 0, 0, 0)
        old_known, old_all, new_known, new_all = (np.array([nodes]) for nodes in shares)
        sides = (comparison.base, comparison.head) if comparison else (self.head,)
        divisor = lcm(*(len(side.step_numbers) or 1 for side in sides))
        return RowFigures(
            base=np.array([int((base or 0) * divisor)], dtype=object),
            head=np.array([int((head or 0) * divisor)], dtype=object),
            base_known=np.array([base is not None]),
            head_known=np.array([head is not None]),
            base_nodes=(old_known, old_all),
            head_nodes=(new_known, new_all),
            lost=np.array([len(changed_nodes(comparison, metric, State.LOST))]),
            now_known=np.array([len(changed_nodes(comparison, metric, State.NOW_KNOWN))]),
            divisor=divisor,
        )

    def _total_with(self, metric: str, accepted: Bools) -> Exact:
        """Return base's total with the figures of the `accepted` nodes replaced by head's."""
        total = self.figures(Subject.MODEL, metric)
        if metric == DEVICE_PEAK:  # it does not belong to nodes
            return total.head if total.head_known[0] else total.base
        old, new = self.nodes(metric)
        grown = sum_of(self.base_with(Subject.NODE, metric, accepted)) - sum_of(old.values)
        with_accepted: Exact = total.base + grown * (total.divisor // new.divisor)
        return with_accepted

    def _sum(self, rows: _Rows, metric: str) -> RowFigures:
        (old, new), (base_row, head_row) = self.nodes(metric), self.places()
        is_matched = (base_row >= 0) & (head_row >= 0)
        base_nodes = rows.count(old.known & old.capable, rows.of_base), rows.count(old.capable, rows.of_base)
        head_nodes = rows.count(new.known & new.capable, rows.of_head), rows.count(new.capable, rows.of_head)
        return RowFigures(
            base=rows.add(old.values, rows.of_base),
            head=rows.add(new.values, rows.of_head),
            base_known=_is_known(rows, old, rows.of_base, base_row >= 0) & (self.comparison is not None),
            head_known=_is_known(rows, new, rows.of_head, head_row >= 0),
            base_nodes=base_nodes,
            head_nodes=head_nodes,
            lost=rows.count(is_matched & old.known & ~new.known, rows.of_head),
            now_known=rows.count(is_matched & ~old.known & new.known, rows.of_head),
            divisor=new.divisor,
        )


def changed_nodes(comparison: Comparison | None, metric: str, state: State) -> pa.ChunkedArray:
    """Return the names of the nodes whose figure has this state."""
    if comparison is None or f"state_{metric}" not in comparison.nodes.column_names:
        return pa.chunked_array([], pa.string())
    return comparison.nodes["name"].filter(is_one_of(comparison.nodes[f"state_{metric}"], state))


def _is_known(rows: _Rows, figures: NodeFigures, of_node: Ints, is_there: Bools) -> Bools:
    """Return which rows have a known figure.

    If some of its nodes could have a figure other than 0, one of these must be known; otherwise any known figure is
    enough. A row without nodes on this side has a known 0.
    """
    could = rows.count(figures.capable, of_node) > 0
    is_known: Bools = np.where(
        could,
        rows.count(figures.known & figures.capable, of_node) > 0,
        (rows.count(figures.known, of_node) > 0) | (rows.count(is_there, of_node) == 0),
    )
    return is_known


def _placed(figures: NodeFigures, place: Ints, divisor: int) -> NodeFigures:
    """Return figures reordered and over another divisor; place -1 is no node: unknown, and not capable."""
    is_there = place >= 0
    if not len(figures.values):
        nowhere = np.zeros(len(place), dtype=bool)
        return NodeFigures(values=np.zeros(len(place), dtype=np.int64), known=nowhere, capable=nowhere, divisor=divisor)
    return NodeFigures(
        values=times(np.where(is_there, figures.values[place], 0), divisor // figures.divisor),
        known=is_there & figures.known[place],
        capable=is_there & figures.capable[place],
        divisor=divisor,
    )


def _figures_of(side: Side, metric: str) -> NodeFigures:
    return figures_of(side.nodes, side.steps, len(side.step_numbers), metric)


def _places(head: Side, comparison: Comparison | None) -> tuple[Ints, Ints]:
    if comparison is None:
        rows = np.arange(head.nodes.num_rows)
        return np.full(len(rows), -1), rows
    status = comparison.nodes["status"].cast(pa.string())
    is_new, is_removed = (to_bools(pc.equal(status, word.value)) for word in (RowStatus.NEW, RowStatus.REMOVED))
    # Rows of base come first, in its order.
    base_row = np.where(is_new, -1, np.cumsum(~is_new) - 1)
    head_row = np.full(len(is_new), -1)
    named = comparison.nodes["name"].filter(pa.array(~is_removed))
    head_row[~is_removed] = to_ints(pc.index_in(named, value_set=head.nodes["name"].combine_chunks()))
    return base_row, head_row
