"""The trace of one host as run metadata has it: executions, memory, shapes and activity, each with its marked step."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, encode_codes, marks, to_bools, to_ints, whole
from tfprof_report.ingest.run_meta import EXECUTIONS, NEGATIVE, SIZES, RunMetaColumns
from tfprof_report.ingest.xplane.event_activity import read_activity
from tfprof_report.ingest.xplane.held_memory import HeldMemory, hold_memory
from tfprof_report.ingest.xplane.input_shapes import read_input_shapes
from tfprof_report.ingest.xplane.memory_events import MemoryEvents, find_memory
from tfprof_report.ingest.xplane.nesting import enclosing, nearest, own_time
from tfprof_report.ingest.xplane.noted_nodes import find_noted
from tfprof_report.ingest.xplane.ops import Lines, OpEvents, Place, find_ops, read_lines
from tfprof_report.ingest.xplane.programs import Programs
from tfprof_report.ingest.xplane.space import PS_PER_NANO, Space
from tfprof_report.ingest.xplane.step_marks import StepMarks, mark_steps
from tfprof_report.ingest.xplane.traced_ops import name_ops
from tfprof_report.later import Later
from tfprof_report.record import record
from tfprof_report.schema.metrics import NANOS_PER_MICRO

_PROFILE_START = "profile_start_time"
_ABSOLUTE = 10**17
"""From here on, nanoseconds of a line are since 1970, not since the profile began."""

_PART = 2**20
"""How many events are nested at a time, so that what is in between takes little memory."""

_SOURCE = "_SOURCE"
"""The node of the executor that starts a graph: no node of any graph."""

_FIRST = NANOS_PER_MICRO * NANOS_PER_MICRO
"""Start of a trace that does not say when it was made: in run metadata a start of 0 is an unknown one."""


@record
class HostTrace:
    """One file of a run.

    marks : its steps, with the times `starts` and `ends` of each in nanoseconds, absolute
    executions : `EXECUTIONS` with texts as dictionaries, one row per execution of an op, then one per event that is no
        op but took memory
    step : per execution the row of its step in `marks`, -1 for none
    start : per execution when it began, absolute
    memory : of the executions
    inputs : `RunMetaColumns.inputs` of them
    activity, activity_step, activity_start : `ACTIVITY` with the step and start of each row
    ops : `traced_ops.OPS`
    runtime, elsewhere : name, records and nanos of all events that are no op, those of `Place.ELSEWHERE` apart
    """

    marks: StepMarks
    starts: Ints
    ends: Ints
    executions: pa.Table
    step: Ints
    start: Ints
    memory: HeldMemory
    inputs: pa.Table
    activity: pa.Table
    activity_step: Ints
    activity_start: Ints
    ops: pa.Table
    runtime: pa.Table
    elsewhere: pa.Table

    def by_step(self, step: Ints, activity_step: Ints, count: int) -> Iterator[RunMetaColumns]:
        """Yield what ran in each of the steps 0 to `count` - 1.

        Parameters
        ----------
        step, activity_step : the step of each execution and of each row of activity, -1 for none
        """
        order, starts = _sorted(step, count)
        executions = self.executions.take(pa.array(order))
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        parts = [
            _Parts.of(table, step, place, count)
            for table in (self.memory.allocations, self.memory.outputs, self.inputs)
        ]
        order, active = _sorted(activity_step, count)
        activity = self.activity.take(pa.array(order))
        for number, (start, end) in enumerate(zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)):
            mine = executions.slice(start, end - start).cast(EXECUTIONS)
            allocations, outputs, inputs = (part.of_step(number, start) for part in parts)
            devices = [*mine["device"].chunks, *allocations["device"].chunks]
            begin, stop = active[number : number + 2].tolist()
            yield RunMetaColumns(
                executions=mine,
                allocations=allocations,
                outputs=outputs,
                devices=tuple(pc.unique(pa.chunked_array(devices, pa.string())).to_pylist()),
                has_step_stats=True,
                inputs=inputs,
                activity=Later(partial(activity.slice, begin, stop - begin)),
            )


def _sorted(step: Ints, count: int) -> tuple[Ints, Ints]:
    """Return the rows by step, and where each of `count` steps begins among them, and the last one ends."""
    order = np.argsort(step, kind="stable")
    return order, np.searchsorted(step[order], np.arange(count + 1))


@record
class _Parts:
    """A table with the row of an execution, sorted by step: `starts` is where each step begins."""

    table: pa.Table
    starts: Ints

    @classmethod
    def of(cls, table: pa.Table, step: Ints, place: Ints, count: int) -> _Parts:
        """Sort a table; `step` and `place` are those of each execution."""
        execution = to_ints(table["execution"])
        order, starts = _sorted(step[execution], count)
        table = table.set_column(0, table.schema.field(0), pa.array(place[execution]))
        return cls(table=table.take(pa.array(order)), starts=starts)

    def of_step(self, number: int, first: int) -> pa.Table:
        """Return the rows of a step, whose executions are counted from `first`."""
        begin, end = self.starts[number : number + 2].tolist()
        mine = self.table.slice(begin, end - begin)
        return mine.set_column(0, mine.schema.field(0), pc.subtract(mine["execution"], first))


def read_host(space: Space, task: str, programs: Programs) -> HostTrace:
    """Return the trace of one host; `task` begins the names of its devices, as ``/job:localhost/replica:0/task:0``."""
    lines = read_lines(space, task)
    line = to_ints(space.events["line"])
    start, duration = space.times()
    counts, is_elsewhere = lines.place[line] != Place.NOTHING, lines.place[line] == Place.ELSEWHERE
    parent, own = _nest(space, counts)
    marks_ = mark_steps(space, lines, parent)
    ops = find_ops(space, lines)
    noted = find_noted(space, ops, marks_.of_event)
    executed = ops.followed_by(noted)
    named = name_ops(executed.ops, programs)
    is_op = marks(ops.event, len(line))
    owner = nearest(is_op, parent)
    owner = np.where(owner >= 0, owner, np.arange(len(line)))
    total = np.zeros(len(line), dtype=np.int64)
    np.add.at(total, owner, own)
    base = _base_nanos(space)
    begins, ends = base + start // PS_PER_NANO, base + (start + duration) // PS_PER_NANO

    memory = find_memory(space)
    of_memory, execution_of_event = _executing(owner, is_op, memory, ops.event, more=len(noted.event))
    event = np.concatenate([ops.event, noted.event, of_memory])
    held = hold_memory(
        memory,
        execution_of_event,
        devices=_memory_devices(memory, task),
        nanos=begins[memory.event],
        count=len(event),
    )
    place = np.arange(len(event))
    op = np.append(named.row[executed.row], np.full(len(of_memory), -1))
    executions = _executions(
        names=space.names_or(whole(named.ops["name"]), op, event),
        devices=_devices(lines, line, event, ops),
        labels=_labels(executed, len(of_memory)),
        start=begins[event],
        nanos=np.where(place < len(ops.event), (total[event] + PS_PER_NANO // 2) // PS_PER_NANO, 0),
        held=held,
        has_memory=len(memory.event) > 0,
        counts=to_ints(space.events["count"])[event],
        is_runtime=place >= len(ops.event) + len(noted.event),
    )
    types = whole(named.ops["op"]).take(pa.array(named.row[: ops.ops.num_rows]))
    activity, active = read_activity(space, lines, ops, types, start_nanos=begins, end_nanos=ends)
    return HostTrace(
        marks=marks_,
        starts=base + marks_.start_ps // PS_PER_NANO,
        ends=base + marks_.end_ps // PS_PER_NANO,
        executions=executions,
        step=marks_.of_event[event],
        start=begins[event],
        memory=held,
        inputs=read_input_shapes(space, ops.event, marks_.counts),
        activity=activity,
        activity_step=marks_.of_event[active],
        activity_start=begins[active],
        ops=named.ops.filter(pc.not_equal(named.ops["name"], _SOURCE)),
        runtime=_sum_up(space, total, counts & ~is_op & ~is_elsewhere),
        elsewhere=_sum_up(space, total, is_elsewhere),
    )


def _nest(space: Space, counts: Bools) -> tuple[Ints, Ints]:
    """Return the event around each event, -1 for none, and its own time, which is 0 on lines that do not count.

    What the profiler added up has no start: it is in no event, and none is in it.
    """
    start, duration = space.times()
    parent, own = np.full(len(start), -1), np.where(counts, duration, 0)
    timed = np.flatnonzero(to_bools(pc.is_valid(space.events["start_ps"])) & counts)
    line = to_ints(space.events["line"])[timed]
    for part in _parts(line):
        mine = timed[part]
        its_line, begins, lasts = line[part], start[mine], duration[mine]
        found = enclosing(its_line, begins, lasts)
        parent[mine] = np.where(found >= 0, mine[found], -1)
        own[mine] = own_time(its_line, begins, lasts, found)
    return parent, own


def _parts(line: Ints) -> Iterator[slice]:
    """Yield the events of whole lines, at most `_PART` of them at a time but for a line that has more."""
    ends = np.append(np.flatnonzero(np.diff(line)) + 1, len(line))
    start = 0
    while start < len(line):
        following, beyond = np.searchsorted(ends, [start, start + _PART], side="right").tolist()
        end = int(ends[max(following, beyond - 1)])
        yield slice(start, end)
        start = end


def _base_nanos(space: Space) -> int:
    """Return when the first line begins, in nanoseconds since 1970 where the trace says it."""
    if space.first_nanos >= _ABSOLUTE:
        return space.first_nanos
    started = [each for each in space.of_planes.ints(_PROFILE_START).to_pylist() if each and 0 < each < 2**62]
    return max(started, default=_FIRST) + space.first_nanos


def _executing(owner: Ints, is_op: Bools, memory: MemoryEvents, op_events: Ints, *, more: int) -> tuple[Ints, Ints]:
    """Return the events beside those of ops during which memory is taken, and the execution of each memory event.

    `more` is the number of executions between those of ops and the others.
    """
    holder = owner[memory.event]
    others = np.unique(holder[~is_op[holder]])
    place = np.full(len(owner), -1, dtype=np.int64)
    place[op_events] = np.arange(len(op_events))
    place[others] = len(op_events) + more + np.arange(len(others))
    return others, place[holder]


def _memory_devices(memory: MemoryEvents, task: str) -> pa.Array:
    numbers = pa.array(memory.device_number).cast(pa.string())
    gpu = pc.binary_join_element_wise(f"{task}/device:gpu:", numbers, "")
    return pc.if_else(pa.array(memory.device_number < 0), f"{task}/device:cpu:0", gpu)


def _devices(lines: Lines, line: Ints, event: Ints, ops: OpEvents) -> pa.DictionaryArray:
    """Return the device of each execution: of an op on the host that launched kernels, the GPU that ran them."""
    code = line[event]
    gpus = pc.replace_substring(lines.device, "/stream:all", "")
    name = to_ints(ops.of_each("name").indices)
    of_op = code[: len(name)]
    kernels = np.flatnonzero(lines.place[of_op] == Place.STREAM)[::-1]
    launched = np.full(int(name.max(initial=-1)) + 1, -1, dtype=np.int64)
    launched[name[kernels]] = of_op[kernels]  # the first one stays
    has_kernel = (lines.place[of_op] == Place.HOST) & (launched[name] >= 0)
    code[: len(name)] = np.where(has_kernel, len(lines.device) + launched[name], of_op)
    return encode_codes(code, pa.concat_arrays([lines.device, gpus]))


def _labels(ops: OpEvents, more: int) -> pa.DictionaryArray:
    """Return timeline labels, as the executor writes them but without inputs, which traces do not have."""
    labels = whole(pc.binary_join_element_wise(ops.ops["name"], " = ", ops.ops["op"], ""))
    words = pa.concat_arrays([pc.fill_null(labels, "").cast(pa.binary()), pa.array([b""])])
    return encode_codes(np.append(ops.row, np.full(more, len(labels))), words)


def _executions(
    *,
    names: pa.DictionaryArray,
    devices: pa.DictionaryArray,
    labels: pa.DictionaryArray,
    start: Ints,
    nanos: Ints,
    held: HeldMemory,
    has_memory: bool,
    counts: Ints,
    is_runtime: Bools,
) -> pa.Table:
    count = len(names)
    known, nothing, no = np.full(count, has_memory), np.zeros(count, dtype=np.int64), np.zeros(count, dtype=bool)
    columns = {
        "node_name": names,
        "device": devices,
        "start_micros": start // NANOS_PER_MICRO,
        "micros": (nanos + NANOS_PER_MICRO // 2) // NANOS_PER_MICRO,
        "start_nanos": start,
        "nanos": nanos,
        "ends_early": no,
        **held.sizes,
        "temp_bytes": nothing,
        "persistent_bytes": nothing,
        "bytes_in_use": nothing,
        "label": labels,
        "has_memory": known,
        "has_outputs": known,
        **{NEGATIVE + name: no for name in SIZES},
        "run_count": counts,
        "is_runtime": is_runtime,
    }
    return pa.table([columns[name] for name in EXECUTIONS.names], names=EXECUTIONS.names)


def _sum_up(space: Space, total: Ints, mask: Bools) -> pa.Table:
    """Return name, records and nanos of some events, by name."""
    rows = pa.array(np.flatnonzero(mask))
    names = space.names().take(rows)
    table = pa.table(
        {
            "name": names.indices,
            "records": space.events["count"].take(rows),
            "nanos": total[mask] // PS_PER_NANO,
            "ps": total[mask] % PS_PER_NANO,
        }
    )
    sums = table.group_by("name", use_threads=False).aggregate([(each, "sum") for each in ("records", "nanos", "ps")])
    nanos = pc.add(sums["nanos_sum"], pc.divide(pc.add(sums["ps_sum"], PS_PER_NANO // 2), PS_PER_NANO))
    name = pc.fill_null(names.dictionary.take(whole(sums["name"])), "")
    return pa.table({"name": name, "records": sums["records_sum"], "nanos": nanos})
