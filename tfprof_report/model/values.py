"""The figures of all nodes for one query: of one step or the mean over steps, by the chosen semantics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from operator import methodcaller
from threading import RLock

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, Numbers, is_each_row, marks, prefix_sums, sum_by_row, to_bools, to_ints
from tfprof_report.errors import InputError
from tfprof_report.limits import INT64_LIMIT
from tfprof_report.model.flops.evaluate import capable_nodes
from tfprof_report.model.flops.fused_executions import REPLACED, UNTRACED, FusedExecutions
from tfprof_report.model.join.devices import is_stream
from tfprof_report.model.join.memory import MEMORY_STEMS, node_reasons, recorded_memory
from tfprof_report.model.node_table import NodeTable
from tfprof_report.model.params.count import shape_products, unknown_dims
from tfprof_report.record import record
from tfprof_report.schema.metrics import METRICS, NANOS, NANOS_PER_MICRO, RUN_STEMS, STEP_STEMS
from tfprof_report.semantics import Semantics

_NO_TEXT = pa.scalar(None, pa.string())

_FAR_BELOW_LIMIT = 2.0**50
"""A node counts once per account pattern that matches, so a sum may be a multiple of all nodes' figures."""

RUN_COLUMNS = (*RUN_STEMS, "memory_reason", "ran_in", "run_count_reason")
"""The columns of the node table that are means over steps, and why they are unknown."""


@record
class Measure:
    """One figure of n rows, exact: ``values / divisor``, and how many nodes of each row have it.

    values : int64, the sum of the known figures of the row's nodes
    counted, unknown : of the row's nodes that could have a figure other than 0 (`flops.evaluate.capable_nodes`), the
        numbers with a figure and without one. With an unknown node the sum is a lower bound. Of rows that are one
        node each they are masks, which take an eighth of the memory.
    divisor : for a mean over steps the number of steps: sums over rows stay exact until they are shown
    """

    values: Ints
    counted: Numbers
    unknown: Numbers
    divisor: int = 1

    @classmethod
    def of_nodes(cls, values: Ints, known: Bools, capable: Bools | None = None, *, divisor: int = 1) -> Measure:
        """Return the measure of rows that are one node each; all nodes are capable by default."""
        could = np.ones(len(values), dtype=bool) if capable is None else capable
        return cls(
            values=np.where(known, values, 0),
            counted=known & could,
            unknown=~known & could,
            divisor=divisor,
        )

    @classmethod
    def of(cls, column: pa.Array, capable: Bools | None = None) -> Measure:
        """Return the measure of an int64 column of nodes; NULL is unknown."""
        return cls.of_nodes(to_ints(pc.fill_null(column, 0)), to_bools(pc.is_valid(column)), capable)

    @property
    def known(self) -> Bools:
        """Which rows have a figure: a lower bound if any node is unknown, and 0 if no node could have one."""
        known: Bools = (self.counted > 0) | (self.unknown == 0)
        return known

    def take(self, rows: Ints) -> Measure:
        """Return the measure of some rows; row -1, a row without a node such as an implied scope, gives a known 0."""
        if is_each_row(rows, len(self.values)):
            return self
        missing = np.flatnonzero(rows < 0)
        values, counted, unknown = (_take(part, rows, missing) for part in (self.values, self.counted, self.unknown))
        return Measure(values=values, counted=counted, unknown=unknown, divisor=self.divisor)

    def differs_from(self, other: Measure) -> Bools:
        """Return which rows of measures of the same divisor differ in what is shown of them."""
        is_bound = (self.unknown > 0) != (other.unknown > 0)
        differs: Bools = (self.values != other.values) | is_bound | (self.known != other.known)
        return differs

    def cumulate(self) -> Measure:
        """Return for each row the sum over it and all rows after it."""
        values, counted, unknown = (np.cumsum(part[::-1])[::-1] for part in (self.values, self.counted, self.unknown))
        return Measure(values=values, counted=counted, unknown=unknown, divisor=self.divisor)

    def to_arrow(self) -> pa.Array:
        """Return an Arrow column, NULL where unknown: int64, or float64 for a mean over several steps."""
        return pa.array(self.values if self.divisor == 1 else self.values / self.divisor, mask=~self.known)


def _take(column: Numbers, rows: Ints, missing: Ints) -> Numbers:
    """Return the values at `rows`, 0 at the places `missing`, whose rows are -1."""
    if not column.any():  # as `unknown` mostly is
        return np.zeros(len(rows), dtype=column.dtype)
    taken: Numbers = column[rows]
    taken[missing] = 0
    return taken


def fits_sum(values: Ints) -> bool:
    """Return whether no sum over some of `values` comes near the 64-bit range; False says nothing."""
    if max(-int(values.min(initial=0)), int(values.max(initial=0))) * len(values) < 2**62:
        return True
    return bool(np.abs(values.astype(np.float64)).sum() < 2.0**62)


def check_sum(values: Ints, what: str) -> None:
    """Raise InputError if a sum over some of `values` could leave the 64-bit range."""
    if fits_sum(values):
        return
    if sum(map(abs, values.tolist())) >= INT64_LIMIT:  # exact but slow; only absurd inputs come here
        raise InputError(f"the total of {what} leaves the 64-bit range", advice="check the numbers of the input")


def run_means(
    fused: FusedExecutions, float_ops: pa.Array, names: pa.Array, step_numbers: tuple[int, ...]
) -> dict[str, pa.Array]:
    """Return the run-time columns of the node table: means over all steps, float64; NULL without run metadata.

    Bytes are NULL where they are unknown in a step, with the reason in `memory_reason`; executions likewise, with
    `run_count_reason`. `ran_in` names the node whose kernel a node ran in.
    """
    count, steps = len(names), len(step_numbers)
    reasons = {
        "memory_reason": node_reasons(fused.steps, count),
        "ran_in": names.take(pa.array(fused.kernel, mask=fused.kernel < 0)),
        "run_count_reason": pc.if_else(
            pa.array(fused.untraced), UNTRACED, pc.if_else(pa.array(fused.unknown), REPLACED, _NO_TEXT)
        ).dictionary_encode(),
    }
    if not steps:
        return {stem: pa.nulls(count, pa.float64()) for stem in RUN_STEMS} | reasons
    offsets = _offsets_of(fused.steps, count)
    sums = {stem: _sum_steps(fused.steps, stem, offsets) for stem in STEP_STEMS}
    sums["run_count"] = _unknown_at(sums["run_count"], fused.unknown)
    if fused.untraced.any():
        sums = {stem: _unknown_at(each, fused.untraced) for stem, each in sums.items()}
    means = {stem: pa.array(each.values / (steps * each.divisor), mask=~each.known) for stem, each in sums.items()}
    ran = pc.multiply(float_ops.cast(pa.float64(), safe=False), means["run_count"])
    # Of a node without FLOPs, none were done, however often it ran.
    means["run_float_ops"] = pc.if_else(pc.fill_null(pc.equal(float_ops, 0), fill_value=False), 0.0, ran)
    return {stem: means[stem] for stem in RUN_STEMS} | reasons


class Measures(Mapping[str, Measure]):
    """Measures by stem. Each is computed when it is first asked for: a view needs the figures that it shows.

    Of threads that ask for the same one, the first computes it.
    """

    def __init__(self, stems: Iterable[str], compute: Callable[[str], Measure]) -> None:
        self._stems, self._compute = tuple(stems), compute
        self._found: dict[str, Measure] = {}
        self._lock = RLock()

    def __getitem__(self, stem: str) -> Measure:
        if stem not in self._stems:
            raise KeyError(stem)
        with self._lock:
            if stem not in self._found:
                self._found[stem] = self._compute(stem)
            return self._found[stem]

    def __iter__(self) -> Iterator[str]:
        return iter(self._stems)

    def __len__(self) -> int:
        return len(self._stems)

    def forget(self, stem: str) -> None:
        """Give up the memory of a measure; it is computed again if it is asked for again."""
        with self._lock:
            self._found.pop(stem, None)

    def take(self, rows: Ints, count: int) -> Measures:
        """Return the measures of some of `count` rows, as `Measure.take` does."""
        return self if is_each_row(rows, count) else self.each(methodcaller("take", rows))

    def each(self, change: Callable[[Measure], Measure]) -> Measures:
        """Return the same stems with `change` applied to each measure."""
        return Measures(self._stems, lambda stem: change(self[stem]))


def node_measures(table: NodeTable, *, step: int, semantics: Semantics) -> Measures:
    """Return all static and run-time stems per node.

    Parameters
    ----------
    step : a step number, or negative for the mean over steps
    semantics : decides how means are taken, which records count, and whether unknown numbers are 0

    Returns
    -------
    Measures
        Means have the number of steps as divisor, except under tfprof's semantics, which drop the fraction.
    """
    runs = _run_measures(table, step=step, semantics=semantics)

    def compute(stem: str) -> Measure:
        measure = runs[stem] if stem in runs else _static_measure(table, stem, runs["run_count"], semantics)
        return _unknown_as_zero(measure) if semantics.unknown_is_zero else measure

    return Measures([stem for stem in METRICS if stem != "definition_count"], compute)


def never_negative(table: NodeTable, semantics: Semantics) -> frozenset[str]:
    """Return run-time stems of which no figure can be negative or unknown, of a node or of any sum of nodes.

    No part of them is negative, and all together are far from the limit of int64, where sums wrap around.
    """
    if not semantics.unknown_is_zero:
        return frozenset()
    steps = _steps_of(table, semantics)
    held = _holding(table.records) if semantics.memory_is_a_plain_sum else steps
    parts = {
        stem: held[stem] if stem in MEMORY_STEMS else steps[stem if semantics.whole_micros else NANOS[stem]]
        for stem in (*MEMORY_STEMS, *NANOS)
    }
    return frozenset(stem for stem, part in parts.items() if _is_harmless(part))


def _is_harmless(part: pa.ChunkedArray) -> bool:
    least = pc.min(part).as_py()
    return least is None or (least >= 0 and pc.sum(part.cast(pa.float64(), safe=False)).as_py() < _FAR_BELOW_LIMIT)


def _static_measure(table: NodeTable, stem: str, runs: Measure, semantics: Semantics) -> Measure:
    """Return a figure that is none of the executions' own: from the node table, or a product with run_count."""
    if stem == "params":
        return _params(table, semantics)
    could = _capable(table, stem, semantics)
    if not (stem == "run_float_ops" or (stem == "float_ops" and semantics.float_ops_times_runs)):
        return Measure.of(table.column(stem), could)
    static = Measure.of(table.column("single_float_ops"))
    with np.errstate(over="ignore"):  # a product that wraps is unknown, by the same product in float64
        product = static.values * runs.values
    if stem == "float_ops":
        has_record = marks(to_ints(table.own_steps["node"]), len(product))
        return Measure.of_nodes(np.where(has_record, product, static.values), static.known, could)
    fits = np.abs(static.values.astype(np.float64)) * np.abs(runs.values.astype(np.float64)) < 2.0**63
    known = to_bools(pc.is_valid(table.column("single_float_ops"))) & runs.known & fits
    return Measure.of_nodes(product, known, could, divisor=runs.divisor)


def _capable(table: NodeTable, stem: str, semantics: Semantics) -> Bools:
    """Return which nodes could have a figure; all where an unknown one is 0, so that it does not matter."""
    if semantics.unknown_is_zero:
        return np.ones(table.count, dtype=bool)
    return to_bools(capable_nodes(table.columns, stem))


def _unknown_as_zero(measure: Measure) -> Measure:
    return replace(measure, counted=measure.counted | measure.unknown, unknown=np.zeros_like(measure.unknown))


def _params(table: NodeTable, semantics: Semantics) -> Measure:
    if not semantics.any_shape_is_params:
        return Measure.of(table.column("params"), to_bools(capable_nodes(table.columns, "params")))
    shape = table.column("shape")
    products, _ = shape_products(shape)
    counts = to_bools(pc.is_valid(shape)) & ~unknown_dims(shape)
    return Measure.of_nodes(np.where(counts, products, 0), np.ones(len(shape), dtype=bool))


def _steps_of(table: NodeTable, semantics: Semantics) -> pa.Table:
    return table.own_steps if semantics.fused_nodes_have_no_runs else table.steps


def _run_measures(table: NodeTable, *, step: int, semantics: Semantics) -> Measures:
    steps, count = _steps_of(table, semantics), table.count
    if semantics.first_device_wins:
        steps = _where(steps, steps["first_device"])
    if step >= 0:
        steps = _where(steps, pc.equal(steps["step"], step))
    runs = steps["run_count"]
    if semantics.stream_only_has_no_float_ops:
        runs = pc.if_else(pa.array(is_stream(steps["device"])), pa.scalar(0, pa.int64()), runs)
    if semantics.unknown_is_zero:  # tfprof adds up what is known
        runs = pc.fill_null(runs, 0)
    steps = steps.set_column(steps.column_names.index("run_count"), "run_count", runs)
    offsets = _offsets_of(steps, count)
    memory = _recorded_memory(table, step=step, semantics=semantics) if semantics.memory_is_a_plain_sum else {}
    divisor = max(len(table.step_numbers), 1) if step < 0 else 1
    ran_in = None
    if step < 0 and (semantics.average_over_own_steps or semantics.wrap_negative_average):
        ran_in = _own_steps(steps, count) if semantics.average_over_own_steps else np.full(count, divisor)
        divisor = 1

    def compute(stem: str) -> Measure:
        sums = memory.get(stem) or _sum_steps(steps, stem, offsets, whole_micros=semantics.whole_micros)
        if not semantics.fused_nodes_have_no_runs:
            reason = table.column("run_count_reason")
            is_lost = pc.is_valid(reason) if stem == "run_count" else pc.equal(reason.cast(pa.string()), UNTRACED)
            sums = _unknown_at(sums, to_bools(is_lost))
        if ran_in is not None:
            sums = _whole_mean(sums, ran_in, wrap=semantics.wrap_negative_average)
        could = _capable(table, stem, semantics)
        return Measure.of_nodes(sums.values, sums.known & table.has_run_meta, could, divisor=sums.divisor * divisor)

    return Measures(STEP_STEMS, compute)


def _offsets_of(steps: pa.Table, count: int) -> Ints:
    """Return where the rows of each of `count` nodes begin and end in `steps`, which is sorted by node."""
    return prefix_sums(np.bincount(to_ints(steps["node"]), minlength=count))


def _unknown_at(measure: Measure, nodes: Bools) -> Measure:
    """Return the measure of nodes without the figures of some."""
    return Measure.of_nodes(measure.values, measure.known & ~nodes, divisor=measure.divisor)


def _recorded_memory(table: NodeTable, *, step: int, semantics: Semantics) -> dict[str, Measure]:
    records = _holding(table.records)
    if semantics.first_device_wins:
        records = _where(records, records["first_device"])
    if step >= 0:
        records = _where(records, pc.equal(records["step"], step))
    everywhere = np.ones(table.count, dtype=bool)
    return {stem: Measure.of_nodes(sums, everywhere) for stem, sums in recorded_memory(records, table.count).items()}


def _holding(records: pa.Table) -> pa.Table:
    """Return the columns that `recorded_memory` needs of the records whose memory tfprof counts."""
    parts = records.select(["node", "step", "first_device", "holds_memory", *MEMORY_STEMS])
    return _where(parts, parts["holds_memory"])


def _where(rows: pa.Table, mask: pa.ChunkedArray) -> pa.Table:
    """Return the rows of a mask without NULLs, which are copied only if some are left out."""
    return rows if pc.all(mask, min_count=0).as_py() else rows.filter(mask)


def _sum_steps(steps: pa.Table, stem: str, offsets: Ints, *, whole_micros: bool = False) -> Measure:
    """Return the sum of a stem per node, whose rows of `steps` `offsets` gives; unknown where one of its parts is.

    Times are sums of nanoseconds, over the divisor `NANOS_PER_MICRO`; with `whole_micros` they are those that tfprof
    sums.
    """
    is_in_nanos = stem in NANOS and not whole_micros
    values = steps[NANOS[stem] if is_in_nanos else stem]
    is_lost = to_bools(pc.is_null(values)).astype(np.int64)
    return Measure.of_nodes(
        sum_by_row(to_ints(pc.fill_null(values, 0)), offsets),
        sum_by_row(is_lost, offsets) == 0,
        divisor=NANOS_PER_MICRO if is_in_nanos else 1,
    )


def _own_steps(steps: pa.Table, count: int) -> Ints:
    """Return per node the number of steps in which it has a record, at least 1."""
    node, step = to_ints(steps["node"]), to_ints(steps["step"])  # by which the rows are sorted
    is_new = np.ones(len(node), dtype=bool)
    is_new[1:] = (node[1:] != node[:-1]) | (step[1:] != step[:-1])
    return np.maximum(np.bincount(node[is_new], minlength=count), 1).astype(np.int64)


def _whole_mean(sums: Measure, steps: Ints, *, wrap: bool) -> Measure:
    """Return each sum divided by the node's number of steps, without the fraction: tfprof's mean."""
    values = sums.values
    if wrap:  # tfprof divides by an unsigned number, so a negative sum turns into a huge one
        values = (values.view(np.uint64) // steps.view(np.uint64)).view(np.int64)
    else:
        values = (np.abs(values) // steps * np.sign(values)).astype(np.int64)
    return replace(sums, values=values)
