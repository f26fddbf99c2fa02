"""Measured trip counts: how often run metadata executed the nodes of loop bodies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Floats, Ints, to_ints
from tfprof_report.ingest.run_meta import RunMetaColumns
from tfprof_report.model.functions.calls import Role
from tfprof_report.model.functions.inline import Expansion
from tfprof_report.model.functions.multiplicity import Trips
from tfprof_report.model.functions.v1_frames import Frames
from tfprof_report.model.join.executions import Executions
from tfprof_report.record import record

LOWERED = r"\b(then|else|cond|body|branch[0-9]+)/_[0-9]+/"
"""The number that the runtime adds between a loop or branch and its nodes."""


def name_as_inlined(
    run_metas: tuple[tuple[int, RunMetaColumns], ...], expansion: Expansion
) -> tuple[tuple[int, RunMetaColumns], ...]:
    """Return run metadata with nodes of function bodies renamed to their names in `expansion`.

    TensorFlow's runtime inlines functions too, but adds a number between a loop or branch and its nodes:
    ``while/body/_12/add`` (LowerWhileOp, LowerIfOp and LowerCaseOp in core/common_runtime).
    """
    inlined = expansion.nodes["name"].combine_chunks()
    if not len(expansion.calls.row):
        return run_metas
    return tuple((step, _renamed(columns, inlined)) for step, columns in run_metas)


def _renamed(columns: RunMetaColumns, inlined: pa.Array) -> RunMetaColumns:
    names = columns.executions["node_name"].combine_chunks().dictionary_encode()
    distinct = names.dictionary
    plain = pc.replace_substring_regex(distinct, pattern=LOWERED, replacement=r"\1/")
    is_ours = pc.and_(pc.is_in(plain, value_set=inlined), pc.invert(pc.is_in(distinct, value_set=inlined)))
    renamed = pc.if_else(is_ours, plain, distinct).take(names.indices)
    place = columns.executions.column_names.index("node_name")
    return replace(columns, executions=columns.executions.set_column(place, "node_name", renamed))


@record
class MeasuredTrips:
    """Executions by run metadata: means over steps, rounded.

    calls : per call of a loop's condition or body, the executions of that body per execution of the graph
    repeats : per node as in `multiplicity.count_executions`; None without frames
    unmeasured : rows of loops that run metadata has no executions of, as in `trip_counts.ProvedTrips`
    """

    calls: Trips
    repeats: Trips | None
    unmeasured: Ints


def measure_trips(expansion: Expansion, frames: Frames | None, executions: Executions) -> MeasuredTrips:
    """Return how often conditions and bodies of loops were executed: as often as their most executed node.

    The maximum, since the runtime prunes nodes and skips branches, so that other nodes may have fewer executions.
    """
    body, calls, callee = expansion.body, expansion.calls, expansion.callee
    count, steps = len(body), max(len(executions.step_numbers), 1)
    node = to_ints(executions.steps["node"])
    run_count = to_ints(pc.fill_null(executions.steps["run_count"], 0))
    runs = np.bincount(node, weights=run_count, minlength=count) / steps
    is_plain = frames.frame == 0 if frames else np.ones(count, dtype=bool)
    per_body = _most(runs[is_plain], body[is_plain], int(callee.max(initial=0)) + 1)
    per_body[0] = 1

    is_loop_body, is_cond = calls.role == Role.BODY, calls.role == Role.COND
    is_single = np.bincount(callee, minlength=len(per_body))[callee] == 1
    if expansion.is_shared:  # executions of several calls have the names of one
        is_single &= body[calls.row] == 0
    held = per_body[body[calls.row]]
    own, twin = per_body[callee], _of_twin(calls.row, callee, is_loop_body, is_cond, per_body)
    known = (is_loop_body | is_cond) & is_single & (held > 0) & (own + twin > 0)
    executed = np.where(is_cond & (own == 0), twin + held, own)
    found = Trips(count=np.where(known, np.rint(executed), 0).astype(np.int64), known=known)
    unmeasured = calls.row[is_loop_body & ~known]
    if frames is None:
        return MeasuredTrips(calls=found, repeats=None, unmeasured=unmeasured)
    repeats, missing = _measure_frames(frames, runs, body, per_body)
    return MeasuredTrips(calls=found, repeats=repeats, unmeasured=np.append(unmeasured, missing))


def _most(values: Floats, group: Ints, groups: int) -> Floats:
    most = np.zeros(groups)
    np.maximum.at(most, group, values)
    return most


def _of_twin(row: Ints, callee: Ints, is_body: Bools, is_cond: Bools, per_body: Floats) -> Floats:
    """Return per call the executions of its counterpart in the same loop: body for condition, and the reverse."""
    of_body = _most(per_body[callee[is_body]], row[is_body], int(row.max(initial=0)) + 1)
    of_cond = _most(per_body[callee[is_cond]], row[is_cond], int(row.max(initial=0)) + 1)
    return np.where(is_body, of_cond[row], np.where(is_cond, of_body[row], 0))


def _measure_frames(frames: Frames, runs: Floats, body: Ints, per_body: Floats) -> tuple[Trips, Ints]:
    """Return the executions of nodes per execution of the body that holds them, and rows of frames that did not run."""
    frame, size = frames.frame, len(frames.parent)
    inside = (frame > 0) & ~frames.exits
    turns, conditions = (
        _most(runs[inside & mask], frame[inside & mask], size) for mask in (frames.turns, ~frames.turns)
    )
    # Row -1, of frame 0, reads the last node's figure; frame 0 is overwritten below.
    conditions = np.where(runs[frames.condition] > 0, runs[frames.condition], conditions)
    times = per_body[body[frames.rows[1:]]]
    conditions[1:] = np.where(times > 0, conditions[1:] / np.maximum(times, 1e-300), 0)
    turns[1:] = np.where(times > 0, turns[1:] / np.maximum(times, 1e-300), 0)
    whole_turns, whole = np.rint(turns).astype(np.int64), np.rint(conditions).astype(np.int64)
    count = np.where(frames.turns, whole_turns[frame], whole[frame])
    count = np.where(frames.exits, np.maximum(whole - whole_turns, 0)[frame], count)
    is_known = conditions > 0
    is_known[0] = True
    count[frame == 0] = 1
    count = np.where(is_known[frame], count, 1)
    return Trips(count=count, known=is_known[frame]), frames.rows[1:][~is_known[1:]]
