"""Whether and how the bodies of functions count: the policies for branches and loops, and what they make of a graph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
import pyarrow as pa

from tfprof_report.diagnostics import Diagnostic, Severity
from tfprof_report.ingest.arrays import Ints
from tfprof_report.model.call_results import Results
from tfprof_report.model.calls import Role
from tfprof_report.model.functions import MAX_EXPANDED, Expansion
from tfprof_report.model.multiplicity import Cond, Multiplicity, Trips, count_executions, times_multiplicity
from tfprof_report.model.trip_counts import ProvedTrips, prove_trips

_EXAMPLES = 5
_ON, _OFF = "on", "off"


class Loops(StrEnum):
    """How often the body of a loop counts."""

    TRIP_COUNT = "trip-count"  # as often as constants prove, else unknown
    ONCE = "once"


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionUse:
    """How the functions that nodes call count."""

    cond: Cond = Cond.MAX
    loops: Loops = Loops.TRIP_COUNT


INLINED = FunctionUse()
"""What a report does unless told otherwise."""


def use_functions(functions: str, cond: str = Cond.MAX, loops: str = Loops.TRIP_COUNT) -> FunctionUse | None:
    """Return the use that words of the command line ask for; None for ``off``: bodies are not looked at."""
    return FunctionUse(cond=Cond(cond), loops=Loops(loops)) if functions == _ON else None


def function_options(values: Mapping[str, Any]) -> dict[str, str]:
    """Return the options about functions among those of a report; one that knows none of them has no functions."""
    return {
        "functions": values.get("functions", _OFF),
        "cond": values.get("cond", Cond.MAX.value),
        "loops": values.get("loops", Loops.TRIP_COUNT.value),
    }


def function_words(use: FunctionUse | None) -> dict[str, str]:
    """Return the options that `use_functions` makes such a use of."""
    if use is None:
        return function_options({})
    return {"functions": _ON, "cond": use.cond.value, "loops": use.loops.value}


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedCalls:
    """FLOPs of nodes per execution of the graph, and how often each node is executed in it; NULL is unknown."""

    float_ops: pa.Array
    multiplicity: pa.Array
    diagnostics: tuple[Diagnostic, ...] = ()


def count_calls(
    expansion: Expansion | None,
    results: Results | None,
    use: FunctionUse | None,
    *,
    names: pa.Array,
    ops: pa.Array,
    edges: pa.Table,
    constants: pa.ListArray | None,
    float_ops: pa.Array,
) -> CountedCalls:
    """Return `float_ops` of one execution of each node times how often the graph executes it.

    Parameters
    ----------
    expansion, results, use, constants : None where nothing is inlined: every node is executed once
    names, ops, edges : of all nodes, those of `expansion` first; as `constants` in `trip_counts.prove_trips`
    """
    if expansion is None or results is None or use is None or constants is None:
        return CountedCalls(float_ops=float_ops, multiplicity=pa.array(np.ones(len(names), dtype=np.int64)))
    if use.loops is Loops.ONCE:
        once = np.ones(len(expansion.calls.row), dtype=np.int64) - (expansion.calls.role == Role.COND)
        proved = ProvedTrips(trips=Trips(count=once, known=np.ones(len(once), dtype=bool)), unproved={})
    else:
        proved = prove_trips(expansion, results, ops=ops, edges=edges, constants=constants)
    inlined = len(expansion.body)
    counted = count_executions(expansion, float_ops.slice(0, inlined), proved.trips, use.cond)
    others = pa.array(np.ones(len(names) - inlined, dtype=np.int64))
    multiplicity = pa.concat_arrays([counted.values, others])
    return CountedCalls(
        float_ops=times_multiplicity(float_ops, multiplicity),
        multiplicity=multiplicity,
        diagnostics=tuple(_diagnose(expansion, use, counted, proved, names)),
    )


def _diagnose(
    expansion: Expansion, use: FunctionUse, counted: Multiplicity, proved: ProvedTrips, names: pa.Array
) -> Iterator[Diagnostic]:
    calls = expansion.calls

    def said(severity: Severity, code: str, text: str, rows: Ints) -> Diagnostic:
        examples = tuple(names.take(pa.array(rows[:_EXAMPLES])).to_pylist())
        return Diagnostic(severity=severity, code=code, text=text, count=len(rows), examples=examples)

    yield said(
        Severity.NOTE,
        "functions_inlined",
        f"nodes call functions, whose bodies stand below them ({len(expansion.body) - _given(expansion):,} nodes)",
        np.unique(calls.row),
    )
    if expansion.is_shared:
        text = (
            f"calls of functions are not copied one by one, which would be more than {MAX_EXPANDED:,} nodes: each "
            "function stands below its first call, with the inputs of that call, and its multiplicity counts all calls"
        )
        yield said(Severity.WARNING, "functions_shared", text, calls.row)
    for reason, rows in expansion.skipped.items():
        if len(rows):
            text = f"calls of functions are not counted: {reason}"
            yield said(Severity.WARNING, f"functions_{reason.name.lower()}", text, rows)
    if len(counted.left_out):
        rows = np.unique(calls.row[counted.left_out])
        text = f"nodes choose between branches, of which some do not count (--cond {use.cond})"
        yield said(Severity.NOTE, "branches_left_out", text, rows)
    if use.loops is Loops.ONCE and (calls.role == Role.BODY).any():
        yield said(
            Severity.NOTE,
            "loops_once",
            f"loops count as one iteration (--loops {use.loops})",
            calls.row[calls.role == Role.BODY],
        )
    is_body = np.flatnonzero(calls.role == Role.BODY)
    for why, rows in proved.unproved.items():
        if len(rows):
            body = expansion.callee[is_body[np.searchsorted(calls.row[is_body], rows)]]
            sizes = ", ".join(f"{size:,}" for size in counted.body_float_ops[body][:_EXAMPLES].tolist())
            text = f"loops iterate an unknown number of times and are not in totals: {why}; FLOPs per iteration {sizes}"
            yield said(Severity.WARNING, f"loops_{why.name.lower()}", text, rows)


def _given(expansion: Expansion) -> int:
    return int(np.count_nonzero(expansion.body == 0))
