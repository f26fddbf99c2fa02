"""Make the inputs of a synthetic model with a given number of nodes, for benchmarks and stress tests.

    python ci/build_bench_inputs.py bench/100k 100k
    python ci/build_bench_inputs.py bench/100k-changed 100k --changed

Writes graph.pb, run_meta_1 and tfprof_log to the folder: scopes nested five deep, eight op types, edges to near
predecessors; two of three nodes have run, convolutions and matrix products have float_ops, every node has a short
trace. The same size gives the same bytes. A million nodes take half a minute and 330 MB on disk. With ``--changed``,
the output of one node in a hundred is twice as wide, and the times are those of another run.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tfprof_report.ingest.descriptors import message_class

KINDS = ("MatMul", "Conv2D", "Relu", "VariableV2", "Const", "Identity", "AddV2", "Mul")
COUNTED = ("MatMul", "Conv2D")
SOURCES = ("VariableV2", "Const")
DEVICE = "/job:localhost/replica:0/task:0/device:CPU:0"
FLOAT = 1
START_MICROS = 1_700_000_000_000_000
STRINGS = ("none", "build", "call", *(f"models/layer_{layer}.py" for layer in range(10)))
CHANGED_EVERY = 100
SUFFIXES = {"k": 1_000, "m": 1_000_000}


def node_name(i: int) -> str:
    """Return the name of node `i`: a block has 1,000 nodes, a layer 100, a unit 10."""
    return f"model/block_{i // 1000}/layer_{i // 100 % 10}/unit_{i // 10 % 10}/{kind(i)}_{i}"


def kind(i: int) -> str:
    """Return the op type of node `i`."""
    return KINDS[i % len(KINDS)]


def width(i: int, *, changed: bool) -> int:
    """Return the middle dimension of the output of node `i`, which is 8 x width x 16."""
    return (16, 32, 64)[i % 3] * (2 if changed and i % CHANGED_EVERY == 0 else 1)


def set_shape(shape: Any, *dims: int) -> None:
    """Write `dims` into a TensorShapeProto."""
    for size in dims:
        shape.dim.add(size=size)


def graph(count: int, rng: random.Random, *, changed: bool) -> Any:
    """Return a GraphDef of `count` nodes."""
    message: Any = message_class("tensorflow.GraphDef")()
    for i in range(count):
        op = kind(i)
        inputs = [] if op in SOURCES or i == 0 else [node_name(max(0, i - 1 - rng.randrange(20))) for _ in range(2)]
        node = message.node.add(name=node_name(i), op=op, input=inputs)
        set_shape(node.attr["_output_shapes"].list.shape.add(), 8, width(i, changed=changed), 16)
        if op == "VariableV2":
            set_shape(node.attr["shape"].shape, 3 + i % 5, 64)
    return message


def run_metadata(count: int, rng: random.Random, *, changed: bool) -> Any:
    """Return the RunMetadata of one step on one device, in which two of three nodes run once."""
    message: Any = message_class("tensorflow.RunMetadata")()
    stats = message.step_stats.dev_stats.add(device=DEVICE).node_stats
    for i in range(count):
        if i % 3 == 0:
            continue
        micros, size = 2 + rng.randrange(50), 4 * 8 * width(i, changed=changed) * 16
        run = stats.add(
            node_name=node_name(i),
            all_start_micros=START_MICROS + i * 10,
            op_start_rel_micros=1,
            op_end_rel_micros=micros,
            all_end_rel_micros=micros + rng.randrange(4),
        )
        run.memory.add(allocator_name="cpu", total_bytes=size + 64, peak_bytes=size)
        if kind(i) == "Const":
            run.memory_stats.persistent_memory_size = size
        tensor = run.output.add().tensor_description
        tensor.dtype = FLOAT
        set_shape(tensor.shape, 8, width(i, changed=changed), 16)
        allocation = tensor.allocation_description
        allocation.requested_bytes, allocation.allocator_name, allocation.ptr = size, "cpu", 4096 * (i + 1)
    return message


def op_log(count: int, rng: random.Random) -> Any:
    """Return an OpLogProto with float_ops, trainable variables and a trace of two lines for every node."""
    message: Any = message_class("tensorflow.tfprof.OpLogProto")()
    for number, text in enumerate(STRINGS):
        message.id_to_string[number] = text
    for i in range(count):
        entry = message.log_entries.add(name=node_name(i))
        if kind(i) in COUNTED:
            entry.float_ops = rng.randrange(10**6)
        if kind(i) == "VariableV2":
            entry.types.append("_trainable_variables")
        layer = i // 100 % 10
        entry.code_def.traces.add(lineno=10 + layer, file_id=3, function_id=1, func_start_line=-1)
        entry.code_def.traces.add(lineno=20 + i % 7, file_id=3 + layer, function_id=2, func_start_line=-1)
    return message


def parse_size(text: str) -> int:
    """Return ``10k`` or ``1m`` as a number of nodes."""
    text = text.lower()
    return int(text[:-1]) * SUFFIXES[text[-1]] if text[-1:] in SUFFIXES else int(text)


def build(folder: Path, count: int, *, changed: bool = False) -> None:
    """Write the three files, one message in memory at a time."""
    folder.mkdir(parents=True, exist_ok=True)
    made: dict[str, Callable[[random.Random], Any]] = {
        "graph.pb": lambda rng: graph(count, rng, changed=changed),
        "run_meta_1": lambda rng: run_metadata(count, rng, changed=changed),
        "tfprof_log": lambda rng: op_log(count, rng),
    }
    for name, make in made.items():
        seed = 2 if changed and name == "run_meta_1" else 1
        message = make(random.Random(seed))  # noqa: S311 - numbers to measure with
        (folder / name).write_bytes(message.SerializeToString(deterministic=True))


def main() -> None:
    """Read the command line and build."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("nodes", type=parse_size, help="such as 10k or 1m")
    parser.add_argument("--changed", action="store_true", help="make what a diff compares this size with")
    arguments = parser.parse_args()
    build(arguments.folder, arguments.nodes, changed=arguments.changed)


if __name__ == "__main__":
    main()
