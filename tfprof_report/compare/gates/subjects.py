"""What gates with a glob are about: nodes, scopes and op types of both sides, and their exact figures.

A scope is all nodes of its name and below, an op type all its nodes: whatever a report's options show and count.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import lcm

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, to_bools, to_ints
from tfprof_report.compare.comparison import Comparison, RowStatus
from tfprof_report.compare.exact_figures import Exact, NodeFigures, add_up, figures_of, times
from tfprof_report.compare.gates.policy import Subject
from tfprof_report.compare.side import Side
from tfprof_report.views.forest import Forest, sum_subtrees
from tfprof_report.views.scope import build_scope_layout


@dataclass(frozen=True, slots=True, kw_only=True)
class RowFigures:
    """One metric of n rows on both sides: ``base / divisor`` and ``head / divisor``, exact.

    base, head : the sums of what is known; a row that a side lacks has a known 0 there
    base_known, head_known : whether any figure of the row is known
    base_nodes, head_nodes : of its nodes those that are known and those that could have a figure
    lost, now_known : of its matched nodes those whose figure changed from known to unknown, and back
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rows:
    """The rows of a subject, and in which of them each node stands on either side (-1 for none)."""

    names: pa.Array
    of_base: Ints
    of_head: Ints
    forest: Forest | None = None

    def add(self, values: Exact, of_node: Ints) -> Exact:
        """Return for each row the sum over its nodes."""
        return self._with_below(add_up(values, of_node, len(self.names)))

    def count(self, nodes: Bools, of_node: Ints) -> Ints:
        """Return for each row how many of `nodes` it has."""
        return self._with_below(np.bincount(of_node[nodes & (of_node >= 0)], minlength=len(self.names)))

    def _with_below(self, sums: Exact) -> Exact:
        """Return sums of rows with those of all rows below them."""
        return sums if self.forest is None else sum_subtrees(self.forest, sums)


@dataclass(slots=True)
class Subjects:
    """The rows of head, and of base where there is a comparison, by subject. Each is worked out once."""

    head: Side
    comparison: Comparison | None
    _rows: dict[Subject, _Rows] = field(default_factory=dict)
    _figures: dict[tuple[Subject, str], RowFigures] = field(default_factory=dict)
    _nodes: dict[str, tuple[NodeFigures, NodeFigures]] = field(default_factory=dict)
    _places: tuple[Ints, Ints] | None = None

    def names(self, subject: Subject) -> pa.Array:
        """Return the names of a subject's rows, each once on either side."""
        return self._rows_of(subject).names

    def figures(self, subject: Subject, metric: str) -> RowFigures:
        """Return a metric of a subject's rows."""
        key = subject, metric
        if key not in self._figures:
            self._figures[key] = self._sum(self._rows_of(subject), *self.nodes(metric))
        return self._figures[key]

    def base_with(self, subject: Subject, metric: str, accepted: Bools) -> Exact:
        """Return base's figures of a subject's rows with head's figures for the nodes that are `accepted`.

        A node that only head has counts as one of base; one between known and unknown stays as it is.
        """
        rows, (old, new) = self._rows_of(subject), self.nodes(metric)
        base_row, head_row = self.places()
        is_head = accepted & (old.known | (base_row < 0)) & (new.known | (head_row < 0))
        values = np.concatenate([np.where(is_head, 0, old.values), np.where(is_head, new.values, 0)])
        return rows.add(values, np.concatenate([rows.of_base, rows.of_head]))

    def sum_steps(self, subject: Subject, times: Exact, *, is_head: bool) -> Exact:
        """Return for each row of a subject the sum over its nodes in each step: a row each, a column a step.

        `times` are those of the nodes of one side (`step_times.times_of_nodes`).
        """
        rows, place = self._rows_of(subject), self.places()[is_head]
        is_there = place >= 0
        of_node = (rows.of_head if is_head else rows.of_base)[is_there]
        sums = [rows.add(column, of_node) for column in times[place[is_there]].T]
        return np.stack(sums, axis=1)

    def in_row(self, subject: Subject, row: int) -> Bools:
        """Return which nodes, of either side, a row of a subject has."""
        rows = self._rows_of(subject)
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
        # A node that only run metadata names has no op type: its name stands for one, as in op view.
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

    def _sum(self, rows: _Rows, old: NodeFigures, new: NodeFigures) -> RowFigures:
        base_row, head_row = self.places()
        is_matched = (base_row >= 0) & (head_row >= 0)
        base_nodes = rows.count(old.known & old.capable, rows.of_base), rows.count(old.capable, rows.of_base)
        head_nodes = rows.count(new.known & new.capable, rows.of_head), rows.count(new.capable, rows.of_head)
        return RowFigures(
            base=rows.add(old.values, rows.of_base),
            head=rows.add(new.values, rows.of_head),
            base_known=_is_known(rows, old, rows.of_base, base_row >= 0),
            head_known=_is_known(rows, new, rows.of_head, head_row >= 0),
            base_nodes=base_nodes,
            head_nodes=head_nodes,
            lost=rows.count(is_matched & old.known & ~new.known, rows.of_head),
            now_known=rows.count(is_matched & ~old.known & new.known, rows.of_head),
            divisor=new.divisor,
        )


def _is_known(rows: _Rows, figures: NodeFigures, of_node: Ints, is_there: Bools) -> Bools:
    """Return which rows have a figure: that of a node which could be other than 0, or the 0 of all others.

    A row without a node on this side has a known 0.
    """
    could = rows.count(figures.capable, of_node) > 0
    is_known: Bools = np.where(
        could,
        rows.count(figures.known & figures.capable, of_node) > 0,
        (rows.count(figures.known, of_node) > 0) | (rows.count(is_there, of_node) == 0),
    )
    return is_known


def _placed(figures: NodeFigures, place: Ints, divisor: int) -> NodeFigures:
    """Return figures in another order, over another divisor; place -1 is no node: unknown, and not capable."""
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
