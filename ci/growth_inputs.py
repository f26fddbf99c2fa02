"""Make inputs that grow in one respect each, to measure how the time of a report grows with it.

    python ci/growth_inputs.py bench/growth/steps-100k steps 100k

The kinds are in `KINDS`. A size is about a number of nodes, or a tenth of the edges or records, so that one size takes
a time of the same order in any kind. The same kind and size give the same bytes.
"""

from __future__ import annotations

import argparse
import math
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from build_bench_inputs import DEVICE, FLOAT, SOURCES, START_MICROS, kind, node_name, parse_size, set_shape
from build_bench_inputs import KINDS as OPS
from google.protobuf import text_format

from tfprof_report.ingest.descriptors import message_class

FEW = 1000
"""Nodes of the kinds that grow in something else."""

SHAPE = (8, 64)
CELL = ("MatMul", "Mul", "Add", "Tanh", "Sigmoid")
CELL_NODES = 30
FRAMES = 12


@dataclass(kw_only=True)
class Inputs:
    """The messages of a model; of a pair of models those of head, with `base` for the other.

    With `has_text` the graph is written as text too.
    """

    graph: Any = field(default_factory=message_class("tensorflow.GraphDef"))
    runs: list[Any] = field(default_factory=list)
    log: Any = None
    trace: Any = None
    base: Inputs | None = None
    has_text: bool = False

    def add(
        self, name: str, op: str, inputs: Iterable[str] = (), *, has_shape: bool = True, shape: Sequence[int] = SHAPE
    ) -> str:
        """Add a node and return its name; a placeholder has its shape in any case."""
        add_node(self.graph.node, name, op, inputs, has_shape=has_shape, shape=shape)
        return name

    def run(self, names: Sequence[str], devices: Sequence[str] = (DEVICE,), *, times: int = 1) -> None:
        """Add a step in which each node runs so many times on each device."""
        made: Any = message_class("tensorflow.RunMetadata")()
        for device in devices:
            stats = made.step_stats.dev_stats.add(device=device).node_stats
            for turn in range(times):
                for place, name in enumerate(names):
                    add_run(stats, name, turn * len(names) + place)
        self.runs.append(made)

    def write(self, folder: Path) -> None:
        """Write the files of the model, and those of its base to the folder ``base`` in it."""
        folder.mkdir(parents=True, exist_ok=True)
        files = {"graph.pb": self.graph, **{f"run_meta_{step}": made for step, made in enumerate(self.runs)}}
        others = {"tfprof_log": self.log, "vm.xplane.pb": self.trace}
        for name, message in (files | {name: each for name, each in others.items() if each is not None}).items():
            (folder / name).write_bytes(message.SerializeToString(deterministic=True))
        if self.has_text:
            (folder / "graph.pbtxt").write_bytes(text_format.MessageToBytes(self.graph))
        if self.base:
            self.base.write(folder / "base")


def add_node(
    nodes: Any,
    name: str,
    op: str,
    inputs: Iterable[str] = (),
    *,
    has_shape: bool = True,
    shape: Sequence[int] = SHAPE,
) -> Any:
    """Add a node to the nodes of a graph or function, and return it."""
    node = nodes.add(name=name, op=op, input=inputs)
    node.attr["T"].type = FLOAT
    if has_shape:
        set_shape(node.attr["_output_shapes"].list.shape.add(), *shape)
    if op in ("VariableV2", "Placeholder"):
        set_shape(node.attr["shape"].shape, *shape)
        node.attr["dtype"].type = FLOAT
    return node


def add_run(stats: Any, name: str, place: int) -> Any:
    """Add an execution with times, memory and an output, and return it."""
    run = stats.add(
        node_name=name,
        all_start_micros=START_MICROS + place * 10,
        op_start_rel_micros=1,
        op_end_rel_micros=5 + place % 7,
        all_end_rel_micros=8 + place % 7,
    )
    run.memory.add(allocator_name="cpu", total_bytes=1024 + place % 100, peak_bytes=1024)
    tensor = run.output.add().tensor_description
    tensor.dtype = FLOAT
    set_shape(tensor.shape, *SHAPE)
    tensor.allocation_description.requested_bytes = 2048
    return run


def plain(count: int, prefix: str = "", *, has_shape: bool = True) -> tuple[Inputs, list[str]]:
    """Return a graph in nested scopes whose edges lead from near predecessors, and its names."""
    rng, made = random.Random(1), Inputs()  # noqa: S311 - edges to measure with
    names = [prefix + node_name(i) for i in range(count)]
    for i, name in enumerate(names):
        op = kind(i) if has_shape or i else "Placeholder"
        op = op if has_shape or op not in SOURCES else "Relu"
        inputs = [] if op in SOURCES or not i else [names[max(0, i - 1 - rng.randrange(20))] for _ in range(2)]
        made.add(name, op, inputs, has_shape=has_shape)
    return made, names


def nodes(size: int) -> Inputs:
    """Return nodes, each with an execution."""
    made, names = plain(size)
    made.run(names)
    return made


def nodes_without_shapes(size: int) -> Inputs:
    """Return nodes whose shapes have to be inferred."""
    return plain(size, has_shape=False)[0]


def steps(size: int) -> Inputs:
    """Return steps of one model."""
    made, names = plain(FEW)
    for _ in range(size // FEW):
        made.run(names)
    return made


def devices(size: int) -> Inputs:
    """Return devices, on each of which every node runs."""
    made, names = plain(FEW)
    made.run(names, [f"/job:worker/replica:0/task:{d // 8}/device:GPU:{d % 8}" for d in range(size // FEW)])
    return made


def executions(size: int) -> Inputs:
    """Return executions of each node in one step, as in a loop, ten for each of `size`."""
    made, names = plain(FEW)
    made.run(names, times=10 * size // FEW)
    return made


def allocations(size: int) -> Inputs:
    """Return records of memory taken and given back, ten for each of `size`."""
    made, names = plain(FEW)
    made.run(names)
    for place, run in enumerate(made.runs[0].step_stats.dev_stats[0].node_stats):
        for turn in range(10 * size // FEW):
            taken = 1024 if turn % 2 == 0 else -1024
            run.memory[0].allocation_records.add(alloc_micros=START_MICROS + place * FEW + turn, alloc_bytes=taken)
    return made


def scope_depth(size: int) -> Inputs:
    """Return levels of scopes around all nodes, ten for each thousand of `size`."""
    made, names = plain(FEW, "s/" * (10 * size // FEW))
    made.run(names)
    return made


def scope_chain(size: int) -> Inputs:
    """Return nodes each of which is a scope below the one before; the bytes of their names grow with the square."""
    made, name = Inputs(), "s"
    for i in range(math.isqrt(100 * size)):
        made.add(name, OPS[i % len(OPS)])
        name += "/s"
    return made


def chain(size: int, *, has_shape: bool = True) -> Inputs:
    """Return nodes one after the other."""
    made, names = Inputs(), [f"b{i // 1000}/n{i}" for i in range(size)]
    for i, name in enumerate(names):
        made.add(name, "Relu" if i else "Placeholder", names[i - 1 : i] if i else (), has_shape=has_shape)
    made.run(names)
    return made


def chain_without_shapes(size: int) -> Inputs:
    """Return nodes one after the other whose shapes have to be inferred."""
    return chain(size, has_shape=False)


def layers(size: int, *, has_shape: bool = True) -> Inputs:
    """Return layers of eight nodes, whose shapes follow from those of the placeholder and the variables."""
    made = Inputs()
    add = partial(made.add, has_shape=has_shape)
    last = add("x", "Placeholder")
    for i in range(size // 8):
        scope = f"block_{i // 100}/layer_{i}"
        kernel = add(f"{scope}/kernel", "VariableV2", shape=(64, 64))
        bias = add(f"{scope}/bias", "VariableV2", shape=(64,))
        product = add(f"{scope}/MatMul", "MatMul", [last, kernel])
        biased = add(f"{scope}/BiasAdd", "BiasAdd", [product, bias])
        gate = add(f"{scope}/Sigmoid", "Sigmoid", [biased])
        gated = add(f"{scope}/Mul", "Mul", [biased, gate])
        total = add(f"{scope}/AddV2", "AddV2", [gated, last])
        last = add(f"{scope}/Tanh", "Tanh", [total])
    return made


def layers_without_shapes(size: int) -> Inputs:
    """Return the same layers, whose shapes have to be inferred."""
    return layers(size, has_shape=False)


def text(size: int) -> Inputs:
    """Return layers whose graph is written as text, too."""
    made = layers(size)
    made.has_text = True
    return made


def wide(size: int) -> Inputs:
    """Return nodes of one scope."""
    made = Inputs()
    for i in range(size):
        made.add(f"s/n{i}", kind(i))
    return made


def dense(size: int) -> Inputs:
    """Return edges, ten for each of `size`: every node reads all nodes before it."""
    made, names = Inputs(), [f"l{i // 50}/n{i}" for i in range(math.isqrt(20 * size))]
    for i, name in enumerate(names):
        made.add(name, "AddN", names[:i])
    made.run(names)
    return made


def op_types(size: int) -> Inputs:
    """Return op types, each of one node."""
    made = Inputs()
    for i in range(size):
        made.add(f"s{i // 100}/n{i}", f"Op{i}")
    return made


def _cells(size: int, scope: str, *, unrolled: bool) -> Inputs:
    made, last = Inputs(), "x"
    made.add("x", "Placeholder")
    for step in range(size // CELL_NODES):
        last = last if unrolled else "x"
        for i in range(CELL_NODES):
            name = f"{scope}_{step}/n{i}"
            made.add(name, CELL[i % len(CELL)], [last, "x"])
            last = name
    return made


def numbered(size: int) -> Inputs:
    """Return scopes of an unrolled loop, each of which reads the one before."""
    return _cells(size, "rnn/step", unrolled=True)


def parallel(size: int) -> Inputs:
    """Return scopes that are equal and independent."""
    return _cells(size, "tower/t", unrolled=False)


def traces(size: int) -> Inputs:
    """Return nodes with deep call stacks that share some of their frames."""
    made, names = plain(size // 2)
    made.log, ids = message_class("tensorflow.tfprof.OpLogProto")(), dict[str, int]()
    for i, name in enumerate(names):
        entry = made.log.log_entries.add(name=name, float_ops=1000)
        for frame in range(FRAMES):
            texts = (
                f"/app/mod_{i // 10 ** max(0, 6 - frame) % 97}_{frame}.py",
                f"fn_{frame}_{i // 3 ** (12 - frame) % 53}",
            )
            file, function = (ids.setdefault(text, len(ids) + 1) for text in texts)
            line = 10 + frame * 7 + i // 2 ** (12 - frame) % 400
            entry.code_def.traces.add(lineno=line, file_id=file, function_id=function)
    for text, number in ids.items():
        made.log.id_to_string[number] = text
    return made


def events(size: int) -> Inputs:
    """Return few nodes and a trace of many steps, whose ops run on one thread of the executor."""
    made, names = plain(FEW)
    made.trace = message_class("tensorflow.profiler.XSpace")()
    plane = made.trace.planes.add(name="/host:CPU")
    words = ("train", "FunctionRun", "ExecutorState::Process", *(f"{name}:Op" for name in names))
    for number, word in enumerate(words):
        plane.event_metadata[number].id, plane.event_metadata[number].name = number, word
    for number, word in enumerate(("step_num", "_pt", "_p", "_ct", "_c", "shape", "(float[8,64];float[8,64])")):
        plane.stat_metadata[number].id, plane.stat_metadata[number].name = number, word
    python, executor = (plane.lines.add(id=number, name=name) for number, name in enumerate(("python", "tf_Compute/1")))
    length = 2 * FEW * 1000
    for step in range(max(1, 10 * size // FEW)):
        start = 2 * step * length
        mark = python.events.add(metadata_id=0, offset_ps=start, duration_ps=length)
        mark.stats.add(metadata_id=0, int64_value=step)
        run = python.events.add(metadata_id=1, offset_ps=start, duration_ps=length)
        work = executor.events.add(metadata_id=2, offset_ps=start, duration_ps=length)
        for event, kind_number, number in ((run, 1, 2), (work, 3, 4)):
            event.stats.add(metadata_id=kind_number, int64_value=2)
            event.stats.add(metadata_id=number, int64_value=1000 + step)
        for place in range(FEW):
            op = executor.events.add(metadata_id=3 + place, offset_ps=start + 2000 * place, duration_ps=1000)
            op.stats.add(metadata_id=5, ref_value=6)
    return made


def _function(library: Any, name: str, calls: Sequence[str] = ()) -> None:
    """Add a function of ten nodes, or one that calls others one after the other."""
    made = library.function.add()
    made.signature.name = name
    made.signature.input_arg.add(name="x", type=FLOAT)
    made.signature.output_arg.add(name="y", type=FLOAT)
    last = "x"
    for place, called in enumerate(calls):
        _call(made.node_def, f"c{place}", called, last)
        last = f"c{place}:output:0"
    for i in range(0 if calls else 10):
        add_node(made.node_def, f"n{i}", ("Relu", "Mul", "Conv2D", "Add")[i % 4], [last] * (1 + i % 2))
        last = f"n{i}:y:0"
    made.ret["y"] = last


def _call(nodes: Any, name: str, function: str, start: str) -> None:
    node = add_node(nodes, name, "PartitionedCall", [start])
    node.attr["f"].func.name = function
    for attr in ("Tin", "Tout"):
        node.attr[attr].list.type.append(FLOAT)


def _calling(functions: Sequence[str]) -> Inputs:
    made = Inputs()
    made.add("x", "Placeholder")
    for i, function in enumerate(functions):
        _call(made.graph.node, f"c{i // 100}/call{i}", function, "x")
    return made


def calls(size: int) -> Inputs:
    """Return calls of one function."""
    made = _calling(["f"] * (size // 10))
    _function(made.graph.library, "f")
    return made


def functions(size: int) -> Inputs:
    """Return functions, each called once."""
    names = [f"f{i}" for i in range(size // 10)]
    made = _calling(names)
    for name in names:
        _function(made.graph.library, name)
    return made


def nested(size: int) -> Inputs:
    """Return functions that call the next one twice: written out, they double with each level."""
    made, depth = _calling(["f0"]), size // 10
    for level in range(depth):
        _function(made.graph.library, f"f{level}", [f"f{level + 1}"] * 2)
    _function(made.graph.library, f"f{depth}")
    return made


def renamed(size: int) -> Inputs:
    """Return nodes each of which has another name in base."""
    made, base = (_renamed(size, *words) for words in (("net", "x", 7919), ("model", "y", 104729)))
    made.base = base
    return made


def _renamed(size: int, scope: str, letter: str, factor: int) -> Inputs:
    made = Inputs()
    names = [f"{scope}/g{i // 100}/{letter}{i * factor % size}_{kind(i)}" for i in range(size)]
    for i, name in enumerate(names):
        inputs = [] if kind(i) in SOURCES or not i else [names[max(0, i - 1 - i * 31 % 20)]] * 2
        made.add(name, kind(i), inputs)
    return made


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A kind of inputs, and whether its growth is measured in bytes of input instead of its size."""

    make: Callable[[int], Inputs]
    in_bytes: bool = False


_COUNTED = (
    nodes,
    nodes_without_shapes,
    chain,
    chain_without_shapes,
    layers,
    layers_without_shapes,
    wide,
    numbered,
    parallel,
    dense,
    executions,
    allocations,
    events,
    renamed,
)
_IN_BYTES = (steps, devices, scope_depth, scope_chain, op_types, traces, calls, functions, nested, text)
KINDS = {make.__name__: Kind(make=make, in_bytes=make in _IN_BYTES) for make in (*_COUNTED, *_IN_BYTES)}
"""All kinds by name."""


def main() -> None:
    """Read the command line and build."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("size", type=parse_size, help="such as 10k or 1m")
    arguments = parser.parse_args()
    KINDS[arguments.kind].make(arguments.size).write(arguments.folder)


if __name__ == "__main__":
    main()
