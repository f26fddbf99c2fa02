"""Compare what we read from traces with xprof's own figures: ops, steps, and peaks of memory.

    python ci/xprof_differences.py --xprof PYTHON [--traces FOLDER]

``PYTHON`` has the package ``xprof``; without it, the figures that lie beside the traces are compared. Each op has to
have the same type, occurrences, total and self time, each allocator the same peak, each step the same time. Differences
by design are taken out first: docs/xplane.md has them.
"""

from __future__ import annotations

import argparse
import gzip
import json
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.compute as pc

from tfprof_report.arrays import marks, to_bools, to_ints
from tfprof_report.ingest.decode import decode
from tfprof_report.ingest.sniff import Kind
from tfprof_report.ingest.xplane.host_trace import HostTrace, read_host
from tfprof_report.ingest.xplane.memory_events import find_memory
from tfprof_report.ingest.xplane.nesting import enclosing, nearest
from tfprof_report.ingest.xplane.ops import OpEvents, find_ops, read_lines
from tfprof_report.ingest.xplane.programs import read_programs
from tfprof_report.ingest.xplane.space import Space, read_space

ROOT = Path(__file__).resolve().parent.parent
TRACES = ROOT / "tests" / "data" / "xplane"
TRUTH = "xprof.json.gz"

LISTED = 500
"""Most ops that xprof lists of hosts, and of devices: those that take most time themselves, ``IDLE`` among them."""

Row = tuple[str, int, int, int]
"""Type, occurrences, and total and self time of an op in nanoseconds."""


def read_trace(file: Path) -> Space:
    """Return the columns of a trace."""
    return read_space(decode(file.read_bytes(), Kind.XPLANE, file=str(file), option="--xplane"))


def differences(truth: dict[str, Any], files: Sequence[Path]) -> list[str]:
    """Return what of the truth about the traces of one run is not so in ours, one line each."""
    spaces = [read_trace(file) for file in files]
    hosts = [read_host(space, "/host", read_programs([], [])) for space in spaces]
    on_host, on_device = _rows_of(spaces, hosts)
    table = truth["framework_op_stats"]["without_idle"]
    theirs_on_host = {
        name: (kind, round(count), round(1000 * total), round(1000 * own))
        for place, kind, name, count, total, own, _ in table
        if place == "Host" and kind  # rows without a type are of allocations
    }
    theirs_on_device = {
        name: (kind, round(1000 * own)) for place, kind, name, _, _, own, _ in table if place == "Device"
    }
    ours_on_device = {name: (kind, own) for name, (kind, _, _, own) in on_device.items()}
    listed = sum(place == "Host" for place, *_ in truth["framework_op_stats"]["with_idle"])
    least = min((own for *_, own in theirs_on_host.values()), default=0) if listed >= LISTED else -1
    ours_on_host = {name: row for name, row in on_host.items() if name in theirs_on_host or row[-1] > least}
    return [
        *_unlike("op", ours_on_host, theirs_on_host),
        *_unlike("op of a device", ours_on_device, theirs_on_device),
        *_unlike("allocator", *_peaks(truth, files, spaces)),
        *_unlike("step", *_steps(truth, hosts[0])),
    ]


def _rows_of(spaces: Sequence[Space], hosts: Sequence[HostTrace]) -> tuple[dict[str, Row], dict[str, Row]]:
    """Return the ops of hosts and of devices as xprof counts them: each allocation of an op is an occurrence, too."""
    rows: tuple[dict[str, Row], dict[str, Row]] = ({}, {})
    for space, host in zip(spaces, hosts, strict=True):
        ops = find_ops(space, read_lines(space, "/host"))
        duration = space.events["duration_ps"].to_numpy()[ops.event] // 1000
        devices, own = host.executions["device"].to_pylist(), _with_compiled(space, ops, host)
        for place, (name, kind, program) in enumerate(
            zip(*(ops.of_each(each).to_pylist() for each in ("name", "op", "program")), strict=True)
        ):
            if program is not None or name.startswith("_"):
                continue
            found = rows["stream" in devices[place]]
            before = found.get(name, (kind, 0, 0, 0))
            found[name] = (before[0], before[1] + 1, before[2] + int(duration[place]), before[3] + own[place])
        for name, count in _allocations(space).items():
            if name in rows[0]:
                kind, runs, total, self_time = rows[0][name]
                rows[0][name] = (kind, runs + count, total, self_time)
    return rows


def _with_compiled(space: Space, ops: OpEvents, host: HostTrace) -> list[int]:
    """Return the own time of ops with that of what XLA compiled within them, which xprof doesn't see on a CPU."""
    own = host.executions["nanos"].to_numpy()[: len(ops.event)].copy()
    is_compiled = to_bools(pc.is_valid(ops.of_each("program")))
    start, duration = space.times()
    parent = enclosing(to_ints(space.events["line"]), start, duration)
    holder = nearest(marks(ops.event[~is_compiled], len(start)), parent)[ops.event]
    place = np.full(len(start), -1)
    place[ops.event] = np.arange(len(ops.event))
    inner = np.flatnonzero(is_compiled & (holder >= 0))
    np.add.at(own, place[holder[inner]], own[inner])
    return [int(each) for each in own]


def _allocations(space: Space) -> Counter[str]:
    """Return how many allocations and releases name each op."""
    names = space.codes("tf_op").take(find_memory(space).event)
    return Counter(name for name in names.to_pylist() if name)


def _peaks(truth: dict[str, Any], files: Sequence[Path], spaces: Sequence[Space]) -> tuple[dict[str, int], ...]:
    """Return the peaks by host and allocator: ours, and xprof's."""
    ours: dict[str, int] = {}
    theirs: dict[str, int] = {}
    of_hosts = truth["memory_profile"]["hosts"].values()
    for file, space, allocators in zip(files, spaces, of_hosts, strict=True):
        memory = find_memory(space)
        for name, value in zip(memory.allocator.to_pylist(), memory.in_use.tolist(), strict=True):
            ours[f"{file.name} {name}"] = max(ours.get(f"{file.name} {name}", 0), value)
        for name, found in allocators.items():
            theirs[f"{file.name} {name}"] = int(found["summary"]["peakStats"]["peakBytesInUse"])
    return ours, theirs


def _steps(truth: dict[str, Any], host: HostTrace) -> tuple[dict[str, int], ...]:
    """Return the time of steps in nanoseconds, ours and xprof's: those that xprof finds, and of hosts, not devices."""
    nanos = (host.ends - host.starts).tolist()
    ours = {f"{name} {step}": time for name, step, time in zip(host.marks.name, host.marks.number, nanos, strict=True)}
    theirs = {row[0]: round(1e6 * row[-1]) for row in truth["steps"]["rows"] if row[0] in ours}
    return {name: ours[name] for name in theirs}, theirs


def _unlike(what: str, ours: dict[str, Any], theirs: dict[str, Any]) -> Iterator[str]:
    for name in sorted({*ours, *theirs}):
        if ours.get(name) != theirs.get(name):
            yield f"{what} {name}: ours {ours.get(name)}, xprof's {theirs.get(name)}"


def main() -> int:
    """Compare all traces of a folder; return 1 on any difference."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--xprof", metavar="PYTHON", help="an interpreter that has xprof")
    parser.add_argument("--traces", type=Path, default=TRACES, metavar="DIR", help="a folder as tests/data/xplane is")
    arguments = parser.parse_args()
    found, ops = 0, 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "traces"
        shutil.copytree(arguments.traces, folder)
        if arguments.xprof:
            script = [arguments.xprof, str(ROOT / "ci" / "xprof_truth.py"), str(folder)]
            subprocess.run(script, check=True, stdout=subprocess.DEVNULL)
        cases = sorted(path.parent for path in folder.glob(f"*/{TRUTH}"))
        for case in cases:
            truth = json.loads(gzip.decompress((case / TRUTH).read_bytes()))
            ops += len(truth["framework_op_stats"]["without_idle"])
            for line in differences(truth, sorted(case.rglob("*xplane.pb.gz"))):
                found += 1
                print(f"{case.name}: {line}")
    print(f"{len(cases)} traces and {ops:,} rows of xprof compared, {found} differences")
    return 1 if found or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
