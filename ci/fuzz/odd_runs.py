"""Run metadata and op logs about a graph that no framework writes."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from fuzz.mutate import odd_name
from fuzz.values import DEVICES, INTS, NAMES
from tfprof_report.ingest.descriptors import message_class


def odd_run_meta(random: Random, names: Sequence[str]) -> Any:
    """Return a RunMetadata with executions of `names` and of other nodes, on devices that may not exist."""
    made: Any = message_class("tensorflow.RunMetadata")()
    for _ in range(random.randrange(4)):
        device = made.step_stats.dev_stats.add(device=random.choice(DEVICES))
        for _ in range(random.choice([0, 1, 5, 40])):
            _add_execution(random, device, names)
    return made


def _add_execution(random: Random, device: Any, names: Sequence[str]) -> None:
    times = ("all_start_micros", "op_start_rel_micros", "op_end_rel_micros", "all_end_rel_micros")
    added = device.node_stats.add(node_name=odd_name(random, names), **{time: random.choice(INTS) for time in times})
    for _ in range(random.randrange(3)):
        sizes = ("total_bytes", "peak_bytes", "live_bytes", "allocator_bytes_in_use")
        allocator = random.choice(["cpu", "GPU_0_bfc", "", "x\x00"])
        used = added.memory.add(allocator_name=allocator, **{size: random.choice(INTS) for size in sizes})
        for _ in range(random.choice([0, 2, 10])):
            used.allocation_records.add(alloc_micros=random.choice(INTS), alloc_bytes=random.choice(INTS))
    for _ in range(random.randrange(3)):
        output = added.output.add(slot=random.choice([0, 1, -1, 2**31 - 1, 7])).tensor_description
        output.dtype = random.choice([1, 999])
        output.shape.dim.add(size=random.choice(INTS))
        output.allocation_description.requested_bytes = random.choice(INTS)
        output.allocation_description.allocated_bytes = random.choice(INTS)
        output.allocation_description.ptr = random.choice([0, 2**63, 5])
    if random.random() < 0.3:
        added.memory_stats.temp_memory_size = random.choice(INTS)
        added.memory_stats.persistent_memory_size = random.choice(INTS)


def odd_op_log(random: Random, names: Sequence[str]) -> Any:
    """Return an OpLogProto with entries of `names` and of other nodes, and call stacks with ids that may not exist."""
    made: Any = message_class("tensorflow.tfprof.OpLogProto")()
    for _ in range(random.choice([0, 1, 10, 60])):
        types = [odd_name(random, names) for _ in range(random.randrange(3))]
        entry = made.log_entries.add(name=odd_name(random, names), float_ops=random.choice(INTS), types=types)
        for _ in range(random.choice([0, 0, 2, 10, 200])):
            entry.code_def.traces.add(
                file_id=random.choice([0, 1, 2, 2**62, -1]),
                lineno=random.choice([0, 1, -1, 2**31 - 1]),
                function_id=random.choice([0, 1, 5]),
                line_id=random.choice([0, 3, 99]),
            )
    for number in range(random.randrange(6)):
        made.id_to_string[random.choice([number, 2**62, -1])] = random.choice(NAMES)
    return made
