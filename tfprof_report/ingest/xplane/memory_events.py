"""What allocators did: events ``MemoryAllocation`` and ``MemoryDeallocation``, which begin when the allocator is done.

TensorFlow's BFC allocator writes them (core/framework/bfc_allocator.cc), which GPUs use; on a CPU the default allocator
writes none, so that memory is unknown there.
"""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, to_ints
from tfprof_report.ingest.xplane.space import Space
from tfprof_report.record import record

_ALLOCATES, _RELEASES = "MemoryAllocation", "MemoryDeallocation"
_OF_GPU = re.compile(r"(?i)gpu_?(?P<number>\d+)")
_MOST_BYTES = 2**61
"""Most bytes of all events of a file, so that their sum fits in int64."""


@record
class MemoryEvents:
    """The allocations and releases in one file, in the order of time.

    event : rows of `Space.events`
    owner : the allocation that a release ends, or the allocation itself: a row of this table; -1 if it came earlier
    allocator : name; device_number : of the GPU in that name, -1 for memory of the host
    start_ps : when
    change : bytes that the allocator takes, negative for a release
    requested : bytes that were asked for
    in_use : bytes that the allocator holds then, what it reserved on stacks included
    region, shape : what it is for (``output``, ``temp``) and of which sizes, as texts, NULL where not told; those of a
        release are those of the allocation that it ends
    """

    event: Ints
    owner: Ints
    allocator: pa.Array
    device_number: Ints
    start_ps: Ints
    change: Ints
    requested: Ints
    in_use: Ints
    region: pa.DictionaryArray
    shape: pa.DictionaryArray


def find_memory(space: Space) -> MemoryEvents:
    """Return the allocations and releases of a file."""
    names = space.kinds["name"].combine_chunks()
    codes = to_ints(pc.fill_null(pc.index_in(names, value_set=pa.array([_ALLOCATES, _RELEASES])), -1))
    kind = to_ints(space.events["kind"])
    what = np.append(codes, -1)[kind]
    event = np.flatnonzero(what >= 0)
    start = space.times()[0][event]
    order = np.argsort(start, kind="stable")
    event, start = event[order], start[order]
    rows = pa.array(event)

    def ints(stat: str) -> Ints:
        return to_ints(pc.fill_null(space.of_events.ints(stat).take(rows), 0))

    is_release = what[event] == 1

    def texts(stat: str, of: pa.Array) -> pa.Array:
        return space.of_events.codes(stat).take(of).cast(pa.string())

    allocator = pc.fill_null(texts("allocator_name", rows), "").dictionary_encode()
    numbers = [_device_number(name) for name in allocator.dictionary.to_pylist()]
    code = to_ints(allocator.indices)
    most = _MOST_BYTES // max(len(event), 1)
    size = np.clip(ints("allocation_bytes"), 0, most)
    owner = _owners(code, ints("addr"), is_release)
    told_by = pa.array(event[np.where(owner >= 0, owner, np.arange(len(event)))])
    return MemoryEvents(
        event=event,
        owner=owner,
        allocator=allocator,
        device_number=np.array(numbers or [-1], dtype=np.int64)[code],
        start_ps=start,
        change=np.where(is_release, -size, size),
        requested=np.clip(ints("requested_bytes"), 0, most),
        in_use=np.clip(ints("bytes_allocated"), 0, _MOST_BYTES) + np.clip(ints("bytes_reserved"), 0, _MOST_BYTES),
        region=texts("region_type", told_by).dictionary_encode(),
        shape=texts("shape", told_by).dictionary_encode(),
    )


def _device_number(allocator: str) -> int:
    """Return the number of the GPU in an allocator's name, -1 for host memory: ``GPU_0_bfc``, ``gpu_host_bfc``."""
    found = _OF_GPU.search(allocator)
    return int(found["number"]) if found and "host" not in allocator.lower() else -1


def _owners(allocator: Ints, address: Ints, is_release: Bools) -> Ints:
    """Return for each event, in order of time, the allocation at its address that it is or that it ends."""
    order = np.lexsort((np.arange(len(address)), address, allocator))
    same = np.zeros(len(order), dtype=bool)
    same[1:] = (np.diff(address[order]) == 0) & (np.diff(allocator[order]) == 0)
    releases = is_release[order]
    before = np.append(-1, order[:-1])[: len(order)]
    follows = np.append(True, ~releases[:-1])[: len(order)]  # a release is of the event before it, an allocation
    owner = np.empty(len(order), dtype=np.int64)
    owner[order] = np.where(releases, np.where(same & follows, before, -1), order)
    return owner
