"""Memory of executions from what allocators did while they ran: the columns that run metadata has of it."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, first_places, sort_distinct, to_bools, to_ints
from tfprof_report.ingest.run_meta import ALLOCATIONS, OUTPUTS
from tfprof_report.ingest.xplane.memory_events import MemoryEvents
from tfprof_report.ingest.xplane.sizes import parse_sizes
from tfprof_report.record import record
from tfprof_report.schema.metrics import NANOS_PER_MICRO

_OUTPUT = "output"
"""The region of an op's outputs."""


@record
class HeldMemory:
    """Memory of n executions, in bytes.

    sizes : bytes (requested), peak_bytes (most that it held of what it allocated), residual_bytes (of that what it did
        not release before its end) and output_bytes per execution
    allocations : `run_meta.ALLOCATIONS`: one row per event, and one per execution and allocator with the most in use
    outputs : `run_meta.OUTPUTS`: the shape of executions that allocated one output
    """

    sizes: dict[str, Ints]
    allocations: pa.Table
    outputs: pa.Table


def hold_memory(events: MemoryEvents, execution: Ints, *, devices: pa.Array, nanos: Ints, count: int) -> HeldMemory:
    """Return the memory of executions.

    Parameters
    ----------
    execution : the execution during which each event happened
    devices : the device whose memory each event is of
    nanos : when each happened, absolute
    """
    is_allocation = events.change > 0
    owner = (
        np.where(events.owner >= 0, execution[np.maximum(events.owner, 0)], execution) if len(execution) else execution
    )
    own = is_allocation | ((events.owner >= 0) & (owner == execution))
    order = np.lexsort((np.arange(len(execution)), execution))
    change = np.where(own, events.change, 0)[order]
    running = np.cumsum(change)
    grouped = execution[order]
    first = np.append(True, np.diff(grouped) != 0)[: len(grouped)]
    before = (running - change)[first][np.cumsum(first) - 1] if len(grouped) else running
    peak, residual = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
    np.maximum.at(peak, grouped, running - before)
    np.add.at(residual, grouped, change)
    is_output = to_bools(pc.equal(events.region.cast(pa.string()), _OUTPUT)) & is_allocation
    return HeldMemory(
        sizes={
            "bytes": _sums(events.requested, execution, is_allocation, count),
            "peak_bytes": peak,
            "residual_bytes": residual,
            "output_bytes": _sums(events.requested, execution, is_output, count),
        },
        allocations=_allocations(events, execution, owner, devices, nanos),
        outputs=_outputs(events, execution, is_output),
    )


def _sums(values: Ints, execution: Ints, mask: Bools, count: int) -> Ints:
    sums = np.zeros(count, dtype=np.int64)
    np.add.at(sums, execution[mask], values[mask])
    return sums


def _allocations(events: MemoryEvents, execution: Ints, owner: Ints, devices: pa.Array, nanos: Ints) -> pa.Table:
    """Return `run_meta.ALLOCATIONS`: a release counts for the execution that allocated."""
    number = len(execution)
    (held, allocator), group = sort_distinct([execution, to_ints(events.allocator.indices)])
    most = np.zeros(len(held), dtype=np.int64)
    np.maximum.at(most, group, events.in_use)
    in_use = pa.table(
        [
            pa.array(held),
            devices.take(pa.array(first_places(group))),
            events.allocator.dictionary.take(pa.array(allocator)),
            pa.array(most),
            *(pa.nulls(len(held), ALLOCATIONS.field(name).type) for name in ALLOCATIONS.names[4:]),
        ],
        schema=ALLOCATIONS,
    )
    recorded = pa.table(
        [
            pa.array(owner),
            devices,
            events.allocator.cast(pa.string()),
            pa.nulls(number, pa.int64()),
            pa.array(nanos // NANOS_PER_MICRO),
            pa.array(events.change),
            events.region.cast(pa.string()),
            events.shape.cast(pa.string()),
        ],
        schema=ALLOCATIONS,
    )
    return pa.concat_tables([in_use, recorded])


def _outputs(events: MemoryEvents, execution: Ints, is_output: Bools) -> pa.Table:
    """Return the shapes of executions with one output. Of several, their order among the outputs is not told."""
    sizes = parse_sizes(events.shape.dictionary).take(events.shape.indices)
    rows = np.flatnonzero(is_output & to_bools(pc.is_valid(sizes)))
    several = np.bincount(execution[is_output], minlength=1) > 1
    rows = rows[~several[execution[rows]]]
    nothing, one = np.zeros(len(rows), dtype=np.int64), np.ones(len(rows), dtype=np.int64)
    columns = [pa.array(execution[rows]), pa.array(nothing), pa.array(one), sizes.take(pa.array(rows))]
    return pa.table(columns, schema=OUTPUTS)
