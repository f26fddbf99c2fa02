"""One run from the traces of its hosts: what ran in each step, and what belongs to none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import median

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, to_ints, whole
from tfprof_report.ingest.run_meta import RunMetaColumns
from tfprof_report.ingest.xplane.host_trace import HostTrace, read_host
from tfprof_report.ingest.xplane.programs import Programs
from tfprof_report.ingest.xplane.space import Space
from tfprof_report.ingest.xplane.traced_ops import OPS
from tfprof_report.record import record
from tfprof_report.schema.tables import UNMATCHED

RUNTIME, ELSEWHERE, OUTSIDE, FIRST = "runtime", "elsewhere", "outside_steps", "first_step"
"""Values of `unmatched.input`: events that are no op, those where there is none (`Place.ELSEWHERE`), ops that ran in no
step, and those of steps that compiled."""

_TASK = "/job:{job}/replica:0/task:0"
_LOCAL = "localhost"

_Key = tuple[str, int, int]
"""A step: its name and number as marked, and which one of those with the same it is."""


@record
class TracedStep:
    """A marked step: its name, its number in reports, its start and wall time in nanoseconds, whether it prepares.

    A step prepares where a function is traced, compiled or tuned in it: its time is not that of the others.
    """

    name: str
    number: int
    start: int
    nanos: int
    prepares: bool


@record
class Run:
    """One run, of one or several hosts.

    run_metas : per step what ran, but for steps that prepare, if there are others
    ops : all ops of the trace (`traced_ops.OPS`)
    outside : what belongs to no step and no node (`UNMATCHED`); with the steps it adds up to the time of all events
    steps : all marked steps, by number
    """

    run_metas: tuple[tuple[int, RunMetaColumns], ...]
    ops: pa.Table
    outside: pa.Table
    steps: tuple[TracedStep, ...]

    @property
    def left_out(self) -> tuple[TracedStep, ...]:
        """The steps that are in `outside`."""
        counted = {number for number, _ in self.run_metas}
        return tuple(step for step in self.steps if step.number not in counted)

    @property
    def usual_nanos(self) -> float:
        """The median wall time of the other steps."""
        left_out = {step.number for step in self.left_out}
        return float(median([step.nanos for step in self.steps if step.number not in left_out] or [0]))


def read_run(spaces: Mapping[str, Space], programs: Programs, *, has_all_ops: bool = True) -> Run:
    """Return a run from the traces of its hosts, by their names; `has_all_ops` as in `RunMetaColumns`.

    A trace without any op does not tell that none ran.
    """
    tasks = _tasks(list(spaces))
    hosts = [read_host(space, task, programs) for space, task in zip(spaces.values(), tasks, strict=True)]
    has_all_ops &= any(host.ops.num_rows for host in hosts)
    keys = [_keys(host) for host in hosts]
    steps, rows = _number_steps(hosts, keys)
    is_kept = np.array([not step.prepares for step in steps], dtype=bool)
    if not is_kept.any():
        is_kept[:] = True
    own, active = (
        [_place(*times, row, hosts, rows) for times, row in zip(parts, rows, strict=True)]
        for parts in (
            [(host.step, host.start) for host in hosts],
            [(host.activity_step, host.activity_start) for host in hosts],
        )
    )
    run_metas = []
    parts = (host.by_step(mine, doing, len(steps)) for host, mine, doing in zip(hosts, own, active, strict=True))
    for step, counts, of_step in zip(steps, is_kept.tolist(), zip(*parts, strict=True), strict=True):
        for place, part in enumerate(of_step if counts else ()):
            if part.executions.num_rows or not place:
                start, nanos = (step.start, step.nanos) if any(keys) else (None, None)
                marked = replace(part, wall_start=start, wall_nanos=nanos, has_all_ops=has_all_ops)
                run_metas.append((step.number, marked))
    outside = [_outside(host, mine, is_kept) for host, mine in zip(hosts, own, strict=True)]
    return Run(
        run_metas=tuple(run_metas),
        ops=_first_of_each(pa.concat_tables([OPS.empty_table(), *(host.ops for host in hosts)])),
        outside=_sum_up(pa.concat_tables([UNMATCHED.empty_table(), *outside])),
        steps=steps if any(keys) else (),
    )


def join_runs(runs: Sequence[Run]) -> Run:
    """Return several runs as one; steps keep their numbers."""
    return Run(
        run_metas=tuple(each for run in runs for each in run.run_metas),
        ops=_first_of_each(pa.concat_tables([run.ops for run in runs])),
        outside=_sum_up(pa.concat_tables([run.outside for run in runs])),
        steps=tuple(step for run in runs for step in run.steps),
    )


def _tasks(hosts: Sequence[str]) -> list[str]:
    """Return how the devices of each host begin: as in run metadata of a local session where there is one host only."""
    return [_TASK.format(job=_LOCAL if len(hosts) == 1 else host.lower()) for host in hosts]


def _keys(host: HostTrace) -> list[_Key]:
    seen: dict[tuple[str, int], int] = {}
    keys = []
    for name, number in zip(host.marks.name, host.marks.number.tolist(), strict=True):
        seen[name, number] = seen.get((name, number), -1) + 1
        keys.append((name, number, seen[name, number]))
    return keys


def _number_steps(hosts: Sequence[HostTrace], keys: Sequence[list[_Key]]) -> tuple[tuple[TracedStep, ...], list[Ints]]:
    """Return the steps of all hosts, and the row of each host's marks among them; a run without marks is one step.

    Steps keep the numbers that they are marked with where these tell them apart, and are numbered by their start where
    not.
    """
    begins: dict[_Key, int] = {}
    for host, mine in zip(hosts, keys, strict=True):
        for key, start in zip(mine, host.starts.tolist(), strict=True):
            begins[key] = min(begins.get(key, start), start)
    if not begins:
        return (TracedStep(name="", number=0, start=0, nanos=0, prepares=False),), [
            np.zeros(0, np.int64) for _ in hosts
        ]
    ordered = sorted(begins, key=lambda key: (begins[key], key))
    numbers = [number for _, number, _ in ordered]
    if len(set(numbers)) < len(numbers) or min(numbers) < 0:
        numbers = list(range(len(ordered)))
    place = {key: row for row, key in enumerate(ordered)}
    rows = [np.array([place[key] for key in mine], dtype=np.int64) for mine in keys]
    ends, prepares = dict(begins), dict.fromkeys(begins, False)
    for host, mine in zip(hosts, keys, strict=True):
        for key, end, prepared in zip(mine, host.ends.tolist(), host.marks.prepares.tolist(), strict=True):
            ends[key], prepares[key] = max(ends[key], end), prepares[key] or prepared
    steps = [
        TracedStep(name=key[0], number=number, start=begins[key], nanos=ends[key] - begins[key], prepares=prepares[key])
        for key, number in zip(ordered, numbers, strict=True)
    ]
    return tuple(steps), rows


def _place(step: Ints, start: Ints, row: Ints, hosts: Sequence[HostTrace], rows: Sequence[Ints]) -> Ints:
    """Return the step of each execution of a host: by its own marks, or else, if it has none, by those of the first."""
    if len(row):
        return np.where(step >= 0, row[np.maximum(step, 0)], -1)
    other = next((number for number, mine in enumerate(rows) if len(mine)), None)
    if other is None:
        return np.zeros(len(start), dtype=np.int64)
    host = hosts[other]
    found = np.searchsorted(host.starts, start, side="right") - 1
    is_within = (found >= 0) & (start < host.ends[np.maximum(found, 0)])
    return np.where(is_within, rows[other][np.maximum(found, 0)], -1)


def _outside(host: HostTrace, step: Ints, is_kept: Bools) -> pa.Table:
    """Return what of a host is in no step that counts."""
    is_runtime = whole(host.executions["is_runtime"]).to_numpy(zero_copy_only=False)
    parts = [_rows(RUNTIME, host.runtime), _rows(ELSEWHERE, host.elsewhere)]
    of_step = is_kept[np.maximum(step, 0)] & (step >= 0)
    for word, mask in ((OUTSIDE, step < 0), (FIRST, (step >= 0) & ~of_step)):
        chosen = host.executions.filter(pa.array(mask & ~is_runtime))
        sums = pa.table({"name": chosen["node_name"], "records": chosen["run_count"], "nanos": chosen["nanos"]})
        sums = sums.group_by("name", use_threads=False).aggregate([("records", "sum"), ("nanos", "sum")])
        parts.append(_rows(word, sums.select(["name", "records_sum", "nanos_sum"])))
    return pa.concat_tables(parts)


def _rows(word: str, sums: pa.Table) -> pa.Table:
    columns = [[word] * sums.num_rows, *sums.columns, pa.nulls(sums.num_rows, pa.int64())]
    return pa.table(columns, schema=UNMATCHED)


def _sum_up(rows: pa.Table) -> pa.Table:
    """Return the rows of all hosts by input and name, the longest first."""
    sums = rows.group_by(["input", "name"], use_threads=False).aggregate([("records", "sum"), ("nanos", "sum")])
    columns = [
        *(sums[name] for name in ("input", "name", "records_sum", "nanos_sum")),
        pa.nulls(sums.num_rows, pa.int64()),
    ]
    return pa.table(columns, schema=UNMATCHED).sort_by(
        [("input", "ascending"), ("nanos", "descending"), ("name", "ascending")]
    )


def _first_of_each(ops: pa.Table) -> pa.Table:
    first = pc.index_in(whole(ops["name"]), value_set=whole(ops["name"]))
    return ops.filter(pa.array(to_ints(first) == np.arange(ops.num_rows)))
