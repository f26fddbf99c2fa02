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
from tfprof_report.compare.comparison import Comparison, RowStatus
from tfprof_report.compare.exact_figures import Exact, NodeFigures, add_up, figures_of, sum_of, times
from tfprof_report.compare.exact_totals import exact_total, known_share
from tfprof_report.compare.gates.policy import Gate, Subject
from tfprof_report.compare.lower_bound import Missing, find_missing
from tfprof_report.compare.side import Side
from tfprof_report.compare.unknown import in_pairs
from tfprof_report.errors import ViewLimitError
from tfprof_report.model.flops.evaluate import FLOP_STEMS, WITHOUT_RULE
from tfprof_report.record import record
from tfprof_report.schema.metrics import NANOS, NANOS_PER_MICRO, OF_NO_NODE, STEP_TIMES
from tfprof_report.views.forest import Forest, sum_subtrees
from tfprof_report.views.scope import build_scope_layout


@record
class RowFigures:
    """One metric of n rows on both sides: ``base / divisor`` and ``head / divisor``, exact.

    base, head : the sums of known figures; a row that a side lacks has a known 0 there, and without a comparison all of
        base is unknown
    base_known, head_known : whether there is a figure: of any node that could have one, or none could
    base_unknown, head_unknown : the numbers of its nodes that could have a figure but have none: the sum is then a
        lower bound
    base_open, head_open : of these, the nodes whose figure the other side does not cancel, so that base and head are
        not comparable
    cancelled : the number of its nodes that are unknown and equal on both sides
    left_out : the number of its unknown nodes in head that the gate says to judge without (`Gate.unknown_ok`)
    """

    base: Exact
    head: Exact
    base_known: Bools
    head_known: Bools
    base_unknown: Ints
    head_unknown: Ints
    base_open: Ints
    head_open: Ints
    cancelled: Ints
    left_out: Ints
    divisor: int = 1

    def __len__(self) -> int:
        return len(self.base)

    def at(self, row: int) -> tuple[Fraction | None, Fraction | None]:
        """Return base's and head's figure of one row, None where it is unknown."""
        base = Fraction(int(self.base[row]), self.divisor) if self.base_known[row] else None
        head = Fraction(int(self.head[row]), self.divisor) if self.head_known[row] else None
        return base, head


@record
class Unknown:
    """The nodes without a figure on either side, as `RowFigures` counts them, in the order of `Comparison.nodes`."""

    base: Bools
    head: Bools
    base_open: Bools
    head_open: Bools
    cancelled: Bools
    left_out: Bools

    @property
    def counts(self) -> tuple[int, ...]:
        """The numbers of nodes, in the order of the fields."""
        masks = (self.base, self.head, self.base_open, self.head_open, self.cancelled, self.left_out)
        return tuple(int(mask.sum()) for mask in masks)


@record
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
    _figures: dict[tuple[Subject, str, tuple[str, ...]], RowFigures] = field(default_factory=dict)
    _nodes: dict[str, tuple[NodeFigures, NodeFigures]] = field(default_factory=dict)
    _places: tuple[Ints, Ints] | None = None
    _problems: dict[Subject, str] = field(default_factory=dict)

    def names(self, subject: Subject) -> pa.Array:
        """Return the names of a subject's rows."""
        return self._rows_of(subject).names

    def problem(self, subject: Subject) -> str | None:
        """Return why a subject's rows cannot be built, None if they can: then it has no rows."""
        if subject is Subject.SCOPE:
            self._rows_of(subject)
        return self._problems.get(subject)

    def figures(self, subject: Subject, metric: str, unknown_ok: tuple[str, ...] = ()) -> RowFigures:
        """Return a metric of a subject's rows, without the unknown nodes of the op types `unknown_ok`."""
        key = subject, metric, unknown_ok
        if key not in self._figures:
            self._figures[key] = (
                self._total(metric, unknown_ok)
                if subject is Subject.MODEL
                else self._sum(self._rows_of(subject), metric, unknown_ok)
            )
        return self._figures[key]

    def unknown(self, metric: str, unknown_ok: tuple[str, ...] = ()) -> Unknown:
        """Return which nodes of a metric have no figure, in the order of `Comparison.nodes`."""
        base, head = (side.capable & ~side.known for side in self.nodes(metric))
        excused_base, excused_head = self._excused(unknown_ok if metric in FLOP_STEMS else ())
        found = self.comparison.open_nodes.get(metric) if self.comparison else None
        nothing = np.zeros(len(head), dtype=bool)
        old, new, cancelled = (found.base, found.head, found.cancelled) if found else (nothing, nothing, nothing)
        return Unknown(
            base=base & ~excused_base,
            head=head & ~excused_head,
            base_open=old & ~excused_base,
            head_open=new & ~excused_head,
            cancelled=cancelled & ~(excused_base & excused_head),
            left_out=head & excused_head,
        )

    def missing(self, gate: Gate, row: int, *, is_head: bool) -> Missing:
        """Return the nodes of one side because of which a gate cannot judge a row."""
        unknown = self.unknown(gate.metric, gate.unknown_ok)
        of_side = unknown.head_open if is_head else unknown.base_open
        mask = unknown.head if gate.is_budget or self.comparison is None else of_side
        mask = mask & (unknown.head if is_head else unknown.base)
        side = self.head if is_head or not self.comparison else self.comparison.base
        found = np.zeros(side.nodes.num_rows, dtype=bool)
        found[self.places()[is_head][mask & self.in_row(gate.subject, row)]] = True
        return find_missing(side.nodes, gate.metric, found)

    def _excused(self, ops: tuple[str, ...]) -> tuple[Bools, Bools]:
        """Return which nodes of base and head are of one of the op types, and unknown because these have no rule."""
        base_row, head_row = self.places()
        if not ops:
            nothing = np.zeros(len(head_row), dtype=bool)
            return nothing, nothing
        base = self.comparison.base if self.comparison else self.head
        return _without_rule(base, base_row, ops), _without_rule(self.head, head_row, ops)

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

    def sum_steps(self, subject: Subject, figures: Exact, *, is_head: bool) -> Exact:
        """Return the sums over the nodes of each row in each step, as an array of rows by steps.

        `figures` are those of the nodes of one side (`step_times.figures_of_nodes`).
        """
        if subject is Subject.MODEL:
            return add_up(figures.ravel(), np.tile(np.arange(figures.shape[1]), len(figures)), figures.shape[1])[None]
        rows, place = self._rows_of(subject), self.places()[is_head]
        is_there = place >= 0
        of_node = (rows.of_head if is_head else rows.of_base)[is_there]
        sums = [rows.add(column, of_node) for column in figures[place[is_there]].T]
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
            try:
                layout = build_scope_layout(distinct.dictionary)
            except ViewLimitError as problem:
                self._problems[subject] = str(problem)
                nowhere = np.full(len(names), -1, dtype=np.int64)
                return _Rows(names=pa.array([], pa.string()), of_base=nowhere, of_head=nowhere)
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

    def _total(self, metric: str, unknown_ok: tuple[str, ...]) -> RowFigures:
        """Return the total over the whole model as a row, with a common divisor for the means of both sides."""
        comparison = self.comparison
        total = comparison.total_of(metric) if comparison else None
        base = total.exact_base if total else None
        head = total.exact_head if total else exact_total(self.head, metric)
        if metric in OF_NO_NODE:
            known, capable = known_share(self.head, metric)
            of_base = total.base_capable - total.base_known if total else 0
            counts: tuple[int, ...] = of_base, capable - known, of_base, capable - known, 0, 0
        else:
            counts = self.unknown(metric, unknown_ok).counts
        base_unknown, head_unknown, base_open, head_open, cancelled, left_out = (np.array([each]) for each in counts)
        if left_out[0]:  # the total may be that of no node at all
            base, head = (side if side is not None else Fraction(0) for side in (base, head))
        sides = (comparison.base, comparison.head) if comparison else (self.head,)
        divisor = lcm(*(len(side.step_numbers) or 1 for side in sides)) * _parts(metric)
        return RowFigures(
            base=np.array([int((base or 0) * divisor)], dtype=object),
            head=np.array([int((head or 0) * divisor)], dtype=object),
            base_known=np.array([base is not None and comparison is not None]),
            head_known=np.array([head is not None]),
            base_unknown=base_unknown,
            head_unknown=head_unknown,
            base_open=base_open,
            head_open=head_open,
            cancelled=cancelled,
            left_out=left_out,
            divisor=divisor,
        )

    def _total_with(self, metric: str, accepted: Bools) -> Exact:
        """Return base's total with the figures of the `accepted` nodes replaced by head's."""
        total = self.figures(Subject.MODEL, metric)
        if metric in OF_NO_NODE:
            return total.head if total.head_known[0] else total.base
        old, new = self.nodes(metric)
        grown = sum_of(self.base_with(Subject.NODE, metric, accepted)) - sum_of(old.values)
        with_accepted: Exact = total.base + grown * (total.divisor // new.divisor)
        return with_accepted

    def _sum(self, rows: _Rows, metric: str, unknown_ok: tuple[str, ...]) -> RowFigures:
        (old, new), nodes = self.nodes(metric), self.unknown(metric, unknown_ok)
        base_unknown, head_unknown = rows.count(nodes.base, rows.of_base), rows.count(nodes.head, rows.of_head)
        base_counted, head_counted = (
            rows.count(side.known & side.capable, of_node) > 0
            for side, of_node in ((old, rows.of_base), (new, rows.of_head))
        )
        return RowFigures(
            base=rows.add(old.values, rows.of_base),
            head=rows.add(new.values, rows.of_head),
            base_known=(base_counted | (base_unknown == 0)) & (self.comparison is not None),
            head_known=head_counted | (head_unknown == 0),
            base_unknown=base_unknown,
            head_unknown=head_unknown,
            base_open=rows.count(nodes.base_open, rows.of_base),
            head_open=rows.count(nodes.head_open, rows.of_head),
            cancelled=rows.count(nodes.cancelled, rows.of_head),
            left_out=rows.count(nodes.left_out, rows.of_head),
            divisor=new.divisor,
        )


def _parts(metric: str) -> int:
    """Return into how many parts the unit of a metric is divided: its exact figures are whole numbers of these."""
    return NANOS_PER_MICRO if metric in (*NANOS, *STEP_TIMES) else 1


def _without_rule(side: Side, place: Ints, ops: tuple[str, ...]) -> Bools:
    """Return which nodes have one of the op types and no figure for want of a rule; place -1 is no node."""
    nodes = side.nodes
    found = to_bools(
        pc.and_(
            pc.is_in(nodes["op"].cast(pa.string()), value_set=pa.array(ops)),
            pc.is_in(nodes["float_ops_reason"].cast(pa.string()), value_set=pa.array(list(WITHOUT_RULE))),
        )
    )
    return in_pairs(found, place)


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
