"""How often nodes are executed, by the policies for functions, branches and loops, and FLOPs multiplied by it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, distinct, to_bools, to_ints, whole
from tfprof_report.diagnostics import EXAMPLES, Diagnostic, Severity
from tfprof_report.model.flops.evaluate import Reason
from tfprof_report.model.functions.call_results import Results
from tfprof_report.model.functions.calls import Role
from tfprof_report.model.functions.executed import executed_only
from tfprof_report.model.functions.inline import MAX_EXPANDED, Expansion
from tfprof_report.model.functions.multiplicity import Multiplicity, Trips, count_executions, times_multiplicity
from tfprof_report.model.functions.trip_counts import Unproved, prove_trips
from tfprof_report.model.functions.trips_from_run import measure_trips
from tfprof_report.model.functions.v1_frames import Frames, count_turns, find_frames, iteration_float_ops
from tfprof_report.model.join.executions import Executions
from tfprof_report.record import record
from tfprof_report.vocabulary import Cond, Functions, Loops

_MERGES, _NEXT = ("Merge", "RefMerge"), ("NextIteration", "RefNextIteration")


@record
class FunctionUse:
    """How the functions that nodes call are counted: the policies for branches and loops."""

    cond: Cond = Cond.MAX
    loops: Loops = Loops.TRIP_COUNT


_COUNTED_AS = {
    Loops.RUN_META: "loops count as often as their nodes were executed in a step, on average and in whole numbers",
    Loops.ONCE: "loops count as one iteration",
}

INLINED = FunctionUse()
"""The default of reports."""


def use_functions(functions: str, cond: str = Cond.MAX, loops: str = Loops.TRIP_COUNT) -> FunctionUse | None:
    """Return the policies for words of the command line; None for ``off``: bodies are ignored."""
    return FunctionUse(cond=Cond(cond), loops=Loops(loops)) if functions == Functions.ON else None


def function_options(values: Mapping[str, Any]) -> dict[str, str]:
    """Return the options about functions among a report's options; an old report without them inlined nothing."""
    return {
        "functions": values.get("functions", Functions.OFF.value),
        **{field.name: values.get(field.name, str(field.default)) for field in fields(FunctionUse)},
    }


def function_words(use: FunctionUse | None) -> dict[str, str]:
    """Return the options from which `use_functions` makes `use`."""
    if use is None:
        return function_options({})
    words = {field.name: str(getattr(use, field.name)) for field in fields(use)}
    return {"functions": Functions.ON.value, **words}


@record
class CountedCalls:
    """FLOPs of nodes per execution of the graph, and how often each node is executed in it; NULL is unknown.

    is_too_often : whether a node is executed more often than 64 bits can count
    is_skipped : whether a node calls a function whose body is not inlined
    """

    float_ops: pa.Array
    multiplicity: pa.Array
    is_too_often: Bools
    is_skipped: Bools
    diagnostics: tuple[Diagnostic, ...] = ()


def count_calls(
    expansion: Expansion,
    results: Results,
    use: FunctionUse | None,
    *,
    names: pa.Array,
    ops: pa.Array,
    edges: pa.Table,
    executions: Executions,
    executed: Bools,
    float_ops: pa.Array,
    values: pa.ListArray,
    turns: Trips | None = None,
) -> CountedCalls:
    """Return `float_ops` of one execution of each node times how often the graph executes it.

    Parameters
    ----------
    use : None where nothing is inlined: every node is executed once
    names, ops, edges : of the nodes of `expansion`
    executions : run metadata, from which ``--loops run-meta`` takes the iterations
    executed : which nodes are executed at all; the others have multiplicity 0
    values : integers that nodes output, by constant folding, NULL where not known: trip counts follow from them
    turns : of the ops of a trace, how often their program executes each
    """
    float_ops = executed_only(float_ops, executed)
    if use is None:
        never = np.zeros(len(names), dtype=bool)
        multiplicity = pa.array(executed.astype(np.int64))
        return CountedCalls(float_ops=float_ops, multiplicity=multiplicity, is_too_often=never, is_skipped=never)
    frames = _frames(expansion, ops, edges)
    repeats, in_frames = None, None
    unknown: Mapping[Unproved, Ints] = {}
    if use.loops is Loops.RUN_META:
        measured = measure_trips(expansion, frames, executions)
        trips, repeats, unknown = measured.calls, measured.repeats, {Unproved.RUN: measured.unmeasured}
    elif use.loops is Loops.ONCE:
        once = np.ones(len(expansion.calls.row), dtype=np.int64) - (expansion.calls.role == Role.COND)
        trips = Trips(count=once, known=np.ones(len(once), dtype=bool))
    else:
        proved = prove_trips(expansion, results, frames, ops=ops, edges=edges, constants=_constants(expansion, values))
        trips, unknown = proved.calls, proved.unproved
        if frames is not None:
            in_frames, repeats = proved.frames, count_turns(frames, proved.frames)
    counted = count_executions(
        expansion,
        float_ops,
        trips,
        use.cond,
        repeats=turns if turns and use.loops is not Loops.ONCE else repeats,
        is_measured=use.loops is Loops.RUN_META,
    )
    multiplicity = executed_only(counted.values, executed)
    is_body = expansion.calls.role == Role.BODY
    loops, sizes = expansion.calls.row[is_body], counted.body_float_ops[expansion.callee[is_body]]
    if frames is not None:
        loops = np.append(loops, frames.rows[1:])
        sizes = np.append(sizes, iteration_float_ops(frames, float_ops, in_frames)[1:])
    return CountedCalls(
        float_ops=times_multiplicity(float_ops, multiplicity),
        multiplicity=multiplicity,
        is_too_often=counted.is_too_often,
        is_skipped=_skipped(expansion, len(names)),
        diagnostics=(
            *_diagnose(expansion, use, counted, names),
            *_diagnose_merges(ops, edges, names),
            *_diagnose_loops(use, dict(zip(loops.tolist(), sizes.tolist(), strict=True)), unknown, names),
        ),
    )


def _frames(expansion: Expansion, ops: pa.Array, edges: pa.Table) -> Frames | None:
    nodes = expansion.nodes
    has_names = "frame_name" in nodes.column_names  # the nodes of a profile lack it
    names = whole(nodes["frame_name"]) if has_names else pa.nulls(nodes.num_rows, pa.string())
    # Nodes that only run metadata has stay outside of frames, since their inputs are not known.
    known = pc.fill_null(pc.less(edges["source"], expansion.defined), fill_value=False)
    return find_frames(ops, edges.filter(known), names, expansion.body)


def _constants(expansion: Expansion, values: pa.ListArray) -> pa.ListArray:
    nodes = expansion.nodes
    return pc.coalesce(whole(nodes["value"]), values) if "value" in nodes.column_names else values


def _diagnose(expansion: Expansion, use: FunctionUse, counted: Multiplicity, names: pa.Array) -> Iterator[Diagnostic]:
    calls = expansion.calls
    if len(calls.row):
        inlined = int(np.count_nonzero(expansion.body))
        text = f"nodes call functions, whose bodies are inlined below them ({inlined:,} nodes)"
        yield Diagnostic.about(distinct(calls.row), names, Severity.NOTE, "functions_inlined", text)
    if expansion.is_shared:
        text = (
            f"functions are not inlined for every call, which would make more than {MAX_EXPANDED:,} nodes or too many "
            "inputs and names: each function is inlined below its first call, with that call's inputs, and its "
            "multiplicity counts all calls"
        )
        yield Diagnostic.about(calls.row, names, Severity.WARNING, "functions_shared", text)
    for reason, rows in expansion.skipped.items():
        if len(rows):
            text = f"calls of functions are not counted: {reason}"
            yield Diagnostic.about(rows, names, Severity.WARNING, f"functions_{reason.name.lower()}", text)
    if counted.is_too_often.any():
        text = "nodes of functions are executed more often than 64 bits can count, and are not in totals"
        rows = np.flatnonzero(counted.is_too_often)
        yield Diagnostic.about(rows, names, Severity.WARNING, "functions_too_often", text)
    if len(counted.left_out):
        rows = distinct(calls.row[counted.left_out])
        text = f"nodes choose between branches, some of which do not count (--cond {use.cond})"
        yield Diagnostic.about(rows, names, Severity.NOTE, "branches_left_out", text)


def _diagnose_merges(ops: pa.Array, edges: pa.Table, names: pa.Array) -> Iterator[Diagnostic]:
    """Report V1 conditionals: merges that are not the head of a loop."""
    is_merge = to_bools(pc.fill_null(pc.is_in(ops, value_set=pa.array(_MERGES)), fill_value=False))
    if is_merge.any():
        source = to_ints(pc.fill_null(edges["source"], -1))
        closes = to_bools(pc.fill_null(pc.is_in(ops, value_set=pa.array(_NEXT)), fill_value=False))
        node = to_ints(edges["node"])
        is_merge[node[(source >= 0) & closes[source]]] = False
    if is_merge.any():
        text = "merges of branches of V1 conditionals (Switch and Merge): all branches count, whatever --cond says"
        yield Diagnostic.about(np.flatnonzero(is_merge), names, Severity.NOTE, "v1_conditionals", text)


def _diagnose_loops(
    use: FunctionUse, loops: Mapping[int, int], unknown: Mapping[Unproved, Ints], names: pa.Array
) -> Iterator[Diagnostic]:
    """Report how loops are counted; `loops` maps the row of each loop to the FLOPs of one iteration."""
    if len(loops) and use.loops is not Loops.TRIP_COUNT:
        text = f"{_COUNTED_AS[use.loops]} (--loops {use.loops})"
        yield Diagnostic.about(np.array([*loops]), names, Severity.NOTE, f"loops_{use.loops.name.lower()}", text)
    for why, rows in unknown.items():
        if len(rows):
            sizes = ", ".join(f"{size:,}" for size in map(loops.__getitem__, rows[:EXAMPLES].tolist()))
            text = (
                f"loops iterate an unknown number of times and are not in totals ({sizes} FLOPs per iteration): {why}"
            )
            yield Diagnostic.about(rows, names, Severity.WARNING, f"loops_{why.name.lower()}", text)


def _skipped(expansion: Expansion, count: int) -> Bools:
    skipped = np.zeros(count, dtype=bool)
    for rows in expansion.skipped.values():
        skipped[rows] = True
    return skipped


def with_calls(reason: pa.Array, single_float_ops: pa.Array, counted: CountedCalls) -> pa.Array:
    """Return why FLOPs are unknown: `reason` for one execution, otherwise the unknown multiplicity or skipped call."""
    is_lost = pc.and_(pc.is_null(counted.float_ops), pc.is_valid(single_float_ops))
    why = pc.if_else(pc.is_valid(counted.multiplicity), str(Reason.OVERFLOW), str(Reason.LOOP))
    why = pc.if_else(pa.array(counted.is_too_often), str(Reason.TOO_OFTEN), why)
    reason = pc.if_else(is_lost, why, pc.if_else(pc.is_null(counted.float_ops), reason, pa.scalar(None, pa.string())))
    is_open = pc.and_(pc.is_null(counted.float_ops), pa.array(counted.is_skipped))
    return pc.if_else(is_open, str(Reason.NO_FUNCTION), reason)
