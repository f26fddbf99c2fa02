"""The timeline of graph view: executions of one step on lanes per device, arrows between devices, device memory."""

from __future__ import annotations

import heapq
from bisect import bisect_left, insort
from collections.abc import Iterator

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Ints, marks, take_ranges, to_bools, to_ints
from tfprof_report.errors import InputError
from tfprof_report.model.join.executions import sound_records
from tfprof_report.model.node_table import NodeTable
from tfprof_report.record import record
from tfprof_report.render.tfprof.timeline import Event, counter, flow, process, region
from tfprof_report.semantics import Semantics
from tfprof_report.views.layout import Layout
from tfprof_report.views.selection import Selection

DRAW_EVERY_MICROS = 100
"""Minimum time between two points of the memory curve."""

MAX_ARROWS = 10**7
"""Maximum pairs of executions that are joined: in a loop's body they grow with the square of its iterations."""

TOP_ALLOCATIONS = 10
_MEGA = 1e6


@record
class Drawing:
    """A timeline: its `events`, and the peak bytes in use in the step per GPU device, in device order."""

    events: Iterator[Event]
    peaks: dict[str, int]


def draw_step(table: NodeTable, layout: Layout, selection: Selection, step: int, semantics: Semantics) -> Drawing:
    """Return the timeline of one step: the shown nodes that ran on a CPU or GPU device in it."""
    nodes = layout.node[selection.rows]
    nodes = nodes[nodes >= 0]
    records = table.records.filter(pc.equal(table.records["step"], step))
    if not semantics.trust_clocks:
        records = sound_records(records)
    if semantics.first_device_wins:
        records = records.filter(records["first_device"])
    frame = records.drop_columns(["device"]).to_pandas()
    frame["device"] = records["device"].cast(pa.string()).to_pandas()
    ran = marks(to_ints(records["node"])[to_bools(records["is_timed"])], table.count)
    trackable = ran & to_bools(pc.is_valid(table.canonical_device))
    visit = np.full(table.count, -1, dtype=np.int64)
    tracked = nodes[trackable[nodes]]
    visit[tracked] = np.arange(len(tracked))
    boxes = _boxes(frame, visit, semantics)
    is_source = trackable & (layout.row_of_node >= 0)
    is_source[is_source] = selection.accounted[layout.row_of_node[is_source]]
    executions = frame[frame["is_timed"] & frame["is_canonical"] & ~frame["is_stream"] & is_source[frame["node"]]]
    arrows = _arrows(table, boxes, executions.sort_values("device", kind="stable"), semantics)
    memory = [
        _memory_of(table, device, frame, tracked, step=step, semantics=semantics)
        for device in _accelerators(table, tracked)
    ]
    names = table.column("name")
    peaks = {each.device: int(each.in_use.max()) if len(each.in_use) else 0 for each in memory if "gpu" in each.device}
    return Drawing(events=_events(names, boxes, arrows, memory), peaks=peaks)


def _events(names: pa.Array, boxes: pd.DataFrame, arrows: pd.DataFrame, memory: list[_DeviceMemory]) -> Iterator[Event]:
    """Yield processes and regions, then arrows, then counters. Loops over events, because they are the output."""
    processes = boxes.drop_duplicates("pid").sort_values("pid")
    for pid, device in zip(processes["pid"].tolist(), processes["device"], strict=True):
        yield process(pid, f"Op {'execution' if 'stream' in device else 'scheduling'} threads: {device}")
    drawn = boxes.sort_values(["pid", "lane", "start"], kind="stable")
    labels = names.take(pa.array(drawn["node"].to_numpy())).to_pylist()
    columns = (drawn[name].tolist() for name in ("pid", "lane", "start", "micros"))
    for label, pid, lane, start, micros in zip(labels, *columns, strict=True):
        yield region(label, pid=pid, tid=lane, start=start, micros=micros, args={"name": label})
    first = len(processes)
    for number, each in enumerate(memory):
        for offset, suffix in enumerate(("", " allocations")):
            yield process(first + 2 * number + offset, f"mem usage on:{each.device}{suffix}")
    yield from _flows(labels, drawn, arrows)
    for number, each in enumerate(memory):
        yield from each.counters(first + 2 * number)


# Executions ----------------------------------------------------------------------------------------------------------


def _boxes(frame: pd.DataFrame, visit: Ints, semantics: Semantics) -> pd.DataFrame:
    """Return a row per drawn execution: node, device, record, is_canonical, start, micros, visit, pid and lane.

    `visit` is the place of each node in the order of the view, -1 for nodes that are not drawn. Processes (`pid`) are
    numbered by the first use of their device in this order.
    """
    on_track = frame["is_timed"] & (frame["is_stream"] | frame["is_canonical"]) & (visit[frame["node"]] >= 0)
    own = frame[on_track]
    boxes = pd.DataFrame(
        {
            "node": own["node"],
            "device": own["device"],
            "record": own.index,
            "is_canonical": own["is_canonical"],
            "start": own["start_micros"],
            "micros": own["micros"].where(own["micros"] != 0, 1),  # as in tfprof: at least one microsecond
            "visit": visit[own["node"]],
        }
    ).sort_values(["visit", "device"], kind="stable", ignore_index=True)
    boxes["pid"] = pd.factorize(boxes["device"])[0]
    if semantics.drop_simultaneous_executions:
        boxes = boxes.drop_duplicates(["pid", "start"], ignore_index=True)
    boxes["lane"] = 0
    for _, of_device in boxes.groupby("pid"):
        by_start = of_device.sort_values("start", kind="stable")
        boxes.loc[by_start.index, "lane"] = _lanes(by_start["start"].tolist(), by_start["micros"].tolist())
    return boxes


def _lanes(starts: list[int], micros: list[int]) -> list[int]:
    """Return a lane for each box, given by ascending start: the lowest lane whose last box has ended.

    A loop, because each choice depends on all earlier ones. Two heaps: free lanes, and busy ones by their end.
    """
    free: list[int] = []
    busy: list[tuple[int, int]] = []
    lanes: list[int] = []
    for start, length in zip(starts, micros, strict=True):
        while busy and busy[0][0] <= start:
            heapq.heappush(free, heapq.heappop(busy)[1])
        lane = heapq.heappop(free) if free else len(busy)
        lanes.append(lane)
        heapq.heappush(busy, (start + length, lane))
    return lanes


# Arrows --------------------------------------------------------------------------------------------------------------


def _arrows(table: NodeTable, boxes: pd.DataFrame, executions: pd.DataFrame, semantics: Semantics) -> pd.DataFrame:
    """Return (source, target) rows of `boxes`: from an input's CPU execution to each execution on another device.

    `executions` are the CPU executions that may be sources, by device. Arrows are in the order in which tfprof finds
    them: targets by device and start, then inputs by position, then executions.
    """
    edges = table.edges.filter(pc.is_valid(table.edges["source"]))
    if not semantics.show_control_inputs:
        edges = edges.filter(pc.invert(edges["is_control"]))
    consumer, supplier = to_ints(edges["node"]), to_ints(edges["source"])
    if semantics.drop_simultaneous_executions:  # a dropped execution's arrows start at the one kept
        places = pd.MultiIndex.from_frame(boxes[["device", "start"]])
        box = places.get_indexer(pd.MultiIndex.from_frame(executions[["device", "start_micros"]]))
    else:
        box = pd.Index(boxes["record"]).get_indexer(executions.index)
    executions, box = executions[box >= 0], box[box >= 0]
    targets = boxes[boxes["is_canonical"]].sort_values(["device", "start"], kind="stable")
    target, edge = _join(targets["node"].to_numpy(), consumer)
    through, source = _join(supplier[edge], executions["node"].to_numpy())
    source, target = box[source], targets.index.to_numpy()[target[through]]
    device = boxes["pid"].to_numpy()
    other = device[source] != device[target]
    return pd.DataFrame({"source": source[other], "target": target[other]})


def _join(left: Ints, right: Ints) -> tuple[Ints, Ints]:
    """Return all pairs (i, j) with ``left[i] == right[j]``, sorted by i and then by j.

    Raises
    ------
    InputError
        There are more than `MAX_ARROWS`; this is checked before they are made.
    """
    order = np.argsort(right, kind="stable")
    first, last = (np.searchsorted(right[order], left, side=side) for side in ("left", "right"))
    counts = last - first
    if counts.sum() > MAX_ARROWS:
        raise InputError(
            f"the timeline would have more than {MAX_ARROWS:,} arrows between devices",
            option="--output",
            advice="hide some nodes, such as those of a loop, with --hide-name-regexes",
        )
    return np.repeat(np.arange(len(left)), counts), order[take_ranges(first, counts)]


def _flows(labels: list[str], drawn: pd.DataFrame, arrows: pd.DataFrame) -> Iterator[Event]:
    """Yield both ends of each arrow, numbered in the order of the boxes where they start."""
    place = pd.Series(np.arange(len(drawn)), index=drawn.index)
    source, target = place[arrows["source"]].to_numpy(), place[arrows["target"]].to_numpy()
    order = np.argsort(source, kind="stable")
    pid, lane, start, micros = (drawn[name].tolist() for name in ("pid", "lane", "start", "micros"))
    for number, (begin, end) in enumerate(zip(source[order].tolist(), target[order].tolist(), strict=True), 1):
        name = f"{labels[begin]}_flow"
        at = start[begin] + micros[begin]
        yield flow(name, number=number, phase="s", pid=pid[begin], tid=lane[begin], at=at)
        yield flow(name, number=number, phase="t", pid=pid[end], tid=lane[end], at=start[end])


# Memory --------------------------------------------------------------------------------------------------------------


@record
class _DeviceMemory:
    """The memory of one device, both sorted by time: bytes in use at some moments, and changes of a node's bytes."""

    device: str
    moments: Ints
    in_use: Ints
    change_at: list[int]
    holder: list[str]
    held: list[int]

    def counters(self, pid: int) -> Iterator[Event]:
        """Yield the points of the curve and, as the next process, the nodes that hold most memory at each point."""
        last, change = 0, 0
        now: dict[str, int] = {}
        ranked: list[tuple[int, str]] = []
        for at, in_use in zip(self.moments.tolist(), self.in_use.tolist(), strict=True):
            if at - last < DRAW_EVERY_MICROS:
                continue
            last = at
            while change < len(self.change_at) and self.change_at[change] < at:
                _set_held(ranked, now, self.holder[change], self.held[change])
                change += 1
            yield counter("Allocated Bytes", pid=pid, at=at, args={"Allocator Bytes in Use": in_use})
            yield counter("Top Allocations", pid=pid + 1, at=at, args=_top(ranked, in_use))


def _set_held(ranked: list[tuple[int, str]], now: dict[str, int], name: str, size: int) -> None:
    """Set the bytes that a node holds to `size`; `ranked` is the sorted list of (-bytes, name) of nodes with any."""
    before = now.get(name, 0)
    if before > 0:
        del ranked[bisect_left(ranked, (-before, name))]
    if size > 0:
        insort(ranked, (-size, name))
    now[name] = size


def _top(ranked: list[tuple[int, str]], in_use: int) -> dict[str, str]:
    """Return the nodes with the most bytes that fit into the bytes in use, and what is left, by tfprof's keys.

    As in tfprof, there are ten allocations, but the first one has no key if it is missing.
    """
    texts = [f"Top Allocation {number:02d}" for number in range(TOP_ALLOCATIONS)]
    args = dict.fromkeys(texts[1:], "N/A")
    remaining, at, listed = in_use, 0, 0
    while listed < TOP_ALLOCATIONS:
        at = bisect_left(ranked, (-remaining, ""), at)  # larger ones do not fit
        if at == len(ranked):
            break
        size, name = -ranked[at][0], ranked[at][1]
        args[texts[listed]] = f"{size / _MEGA:g} MB from {name}"
        remaining, at, listed = remaining - size, at + 1, listed + 1
    return {**args, "Not Displayed": f"{remaining / _MEGA:.2f} MB"}


def _accelerators(table: NodeTable, tracked: Ints) -> list[str]:
    devices = table.canonical_device.take(pa.array(tracked)).cast(pa.string()).unique().to_pylist()
    return sorted(device for device in devices if "cpu" not in device)


def _memory_of(
    table: NodeTable, device: str, frame: pd.DataFrame, tracked: Ints, *, step: int, semantics: Semantics
) -> _DeviceMemory:
    """Return the memory of the tracked nodes on one device."""
    mine = np.full(table.count, -1, dtype=np.int64)
    nodes = tracked[to_bools(pc.equal(table.canonical_device.take(pa.array(tracked)).cast(pa.string()), device))]
    mine[nodes] = np.arange(len(nodes))
    own = frame[frame["holds_memory"] & (mine[frame["node"]] >= 0)]
    order = np.argsort(mine[own["node"]], kind="stable")  # at equal moments the last node's value counts
    points = pd.DataFrame({"at": own["start_micros"] + own["micros"], "in_use": own["bytes_in_use"]}).iloc[order]
    points = points.drop_duplicates("at", keep="last").sort_values("at")

    records = table.records.take(table.allocations["record"])
    kept = pc.and_(pc.equal(table.allocations["step"], step), records["holds_memory"])
    if semantics.first_device_wins:
        kept = pc.and_(kept, records["first_device"])
    allocations = table.allocations.filter(kept).to_pandas()
    allocations = allocations[mine[allocations["node"]] >= 0]
    changes = pd.concat([_persistent(table, mine, semantics), allocations[["node", "micros", "bytes"]]])
    changes = changes.groupby(["node", "micros"], as_index=False, sort=True)["bytes"].sum()
    changes["held"] = changes.groupby("node")["bytes"].cumsum()
    changes = changes.sort_values("micros", kind="stable")
    return _DeviceMemory(
        device=device,
        moments=points["at"].to_numpy(),
        in_use=points["in_use"].to_numpy(),
        change_at=changes["micros"].tolist(),
        holder=table.column("name").take(pa.array(changes["node"].to_numpy())).to_pylist(),
        held=changes["held"].tolist(),
    )


def _persistent(table: NodeTable, mine: Ints, semantics: Semantics) -> pd.DataFrame:
    """Return the bytes that nodes hold from time 0 on: persistent bytes on accelerators, the maximum over all steps."""
    records = table.records
    kept = pc.and_(records["holds_memory"], pc.invert(pc.match_substring(records["device"].cast(pa.string()), "cpu")))
    if semantics.first_device_wins:
        kept = pc.and_(kept, records["first_device"])
    sizes = records.filter(kept).select(["node", "step", "persistent_bytes"]).to_pandas()
    sizes = sizes[mine[sizes["node"]] >= 0]
    sums = sizes.groupby(["node", "step"])["persistent_bytes"].sum().groupby("node").max().clip(lower=0)
    return pd.DataFrame({"node": sums.index, "micros": 0, "bytes": sums.to_numpy()}, dtype=np.int64)
