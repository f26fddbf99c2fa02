"""Make an input that is large in one way, to measure how time grows with it.

    python ci/build_growth_inputs.py FOLDER edges 100000

The kinds are the functions in `KINDS`; the number says how many of what the kind is called there are.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from google.protobuf import text_format

from tfprof_report.ingest.descriptors import message_class

OPS = ("MatMul", "Conv2D", "Relu", "VariableV2", "Const", "Identity", "AddV2", "Mul")
CELL = ("MatMul", "BiasAdd", "Sigmoid", "Mul", "AddV2", "Tanh")
CELL_NODES = 30
FEW = 1_000
FRAMES = 12
FLOAT = 1
START_MICROS = 1_700_000_000_000_000
CPU = "/job:localhost/replica:0/task:0/device:CPU:0"

Messages = dict[str, Any]
"""Messages by the name of the file they are written to."""


def new(kind: str) -> Any:
    """Return an empty message."""
    return message_class(f"tensorflow.{kind}")()


def shape_of(attr: Any, *dims: int) -> None:
    """Append a shape to an attribute with a list."""
    shape = attr.list.shape.add()
    for size in dims:
        shape.dim.add(size=size)


def add(graph: Any, name: str, op: str, inputs: Iterable[str] = (), *, shaped: bool = True) -> str:
    """Add a node whose output is 8 x 64, and return its name."""
    node = graph.node.add(name=name, op=op, input=inputs)
    node.attr["T"].type = FLOAT
    if shaped:
        shape_of(node.attr["_output_shapes"], 8, 64)
    return name


def source(graph: Any, name: str, op: str, *dims: int, shaped: bool = True) -> str:
    """Add a placeholder or a variable of a shape, and return its name."""
    node = graph.node.add(name=name, op=op)
    node.attr["dtype"].type = FLOAT
    for size in dims:
        node.attr["shape"].shape.dim.add(size=size)
    if shaped:
        shape_of(node.attr["_output_shapes"], *dims)
    return name


def few_nodes() -> tuple[Any, list[str]]:
    """Return a graph of a thousand nodes in a hundred scopes, and their names."""
    graph = new("GraphDef")
    return graph, [add(graph, f"layer_{i // 10}/n_{i}", OPS[i % len(OPS)]) for i in range(FEW)]


def runs(names: Iterable[str], device: str = CPU, *, first: int = 0) -> Any:
    """Return the run metadata of one step in which the names ran one after the other."""
    run_meta = new("RunMetadata")
    stats = run_meta.step_stats.dev_stats.add(device=device).node_stats
    for i, name in enumerate(names, first):
        ran = stats.add(node_name=name, all_start_micros=START_MICROS + 10 * i, op_start_rel_micros=1)
        ran.op_end_rel_micros, ran.all_end_rel_micros = 5 + i % 7, 8 + i % 7
        ran.memory.add(allocator_name="cpu", total_bytes=2048, peak_bytes=2048)
    return run_meta


def edges(count: int) -> Messages:
    """Return a graph in which each node reads all before it."""
    graph, names = new("GraphDef"), list[str]()
    while len(names) * (len(names) - 1) // 2 < count:
        names.append(add(graph, f"layer_{len(names) // 50}/n_{len(names)}", "AddN", names))
    return {"graph.pb": graph, "run_meta_1": runs(names)}


def executions(count: int) -> Messages:
    """Return a thousand nodes that ran so often in all."""
    graph, names = few_nodes()
    return {"graph.pb": graph, "run_meta_1": runs(names[i % FEW] for i in range(count))}


def allocations(count: int) -> Messages:
    """Return a thousand nodes with so many records of allocations in all."""
    graph, names = few_nodes()
    run_meta = runs(names)
    for i, ran in enumerate(run_meta.step_stats.dev_stats[0].node_stats):
        for k in range(count // FEW):
            at = START_MICROS + 10 * i + k
            ran.memory[0].allocation_records.add(alloc_micros=at, alloc_bytes=1024 if k % 2 == 0 else -1024)
    return {"graph.pb": graph, "run_meta_1": run_meta}


def steps(count: int) -> Messages:
    """Return a thousand nodes and so many steps."""
    graph, names = few_nodes()
    return {"graph.pb": graph, **{f"run_meta_{step}": runs(names, first=step) for step in range(count)}}


def devices(count: int) -> Messages:
    """Return a thousand nodes, each of which ran on so many devices."""
    graph, names = few_nodes()
    run_meta = new("RunMetadata")
    for i in range(count):
        run_meta.MergeFrom(runs(names, f"/job:worker/replica:0/task:{i // 8}/device:GPU:{i % 8}"))
    return {"graph.pb": graph, "run_meta_1": run_meta}


def wide(count: int) -> Messages:
    """Return so many nodes in one scope."""
    graph = new("GraphDef")
    for i in range(count):
        add(graph, f"scope/n_{i}", OPS[i % len(OPS)])
    return {"graph.pb": graph}


def chain(count: int) -> Messages:
    """Return so many nodes, each of which reads the one before."""
    graph, last = new("GraphDef"), list[str]()
    for i in range(count):
        last = [add(graph, f"block_{i // FEW}/n_{i}", "Relu", last)]
    return {"graph.pb": graph}


def layers(count: int, *, shaped: bool = True) -> Messages:
    """Return so many nodes of layers whose shapes follow from those of the placeholder and the variables."""
    graph = new("GraphDef")
    last = source(graph, "x", "Placeholder", 8, 64, shaped=shaped)
    for i in range(count // 8):
        scope = f"block_{i // 100}/layer_{i}"
        kernel = source(graph, f"{scope}/kernel", "VariableV2", 64, 64, shaped=shaped)
        bias = source(graph, f"{scope}/bias", "VariableV2", 64, shaped=shaped)
        product = add(graph, f"{scope}/MatMul", "MatMul", [last, kernel], shaped=shaped)
        biased = add(graph, f"{scope}/BiasAdd", "BiasAdd", [product, bias], shaped=shaped)
        gate = add(graph, f"{scope}/Sigmoid", "Sigmoid", [biased], shaped=shaped)
        gated = add(graph, f"{scope}/Mul", "Mul", [biased, gate], shaped=shaped)
        total = add(graph, f"{scope}/AddV2", "AddV2", [gated, last], shaped=shaped)
        last = add(graph, f"{scope}/Tanh", "Tanh", [total], shaped=shaped)
    return {"graph.pb": graph}


def layers_without_shapes(count: int) -> Messages:
    """Return the same without `_output_shapes`."""
    return layers(count, shaped=False)


def text(count: int) -> Messages:
    """Return the layers twice: as text and as bytes."""
    graph = layers(count)["graph.pb"]
    return {"graph.pb": graph, "graph.pbtxt": graph}


def unrolled(count: int) -> Messages:
    """Return a loop unrolled into so many scopes of thirty nodes, each of which reads the one before."""
    graph = new("GraphDef")
    last = source(graph, "x", "Placeholder", 8, 64)
    for step in range(count):
        for k in range(CELL_NODES):
            last = add(graph, f"rnn/step_{step}/n_{k}", CELL[k % len(CELL)], [last, "x"])
    return {"graph.pb": graph}


def towers(count: int) -> Messages:
    """Return so many scopes of thirty nodes side by side."""
    graph = new("GraphDef")
    given = source(graph, "x", "Placeholder", 8, 64)
    for tower in range(count):
        last = given
        for k in range(CELL_NODES):
            last = add(graph, f"towers/tower_{tower}/n_{k}", CELL[k % len(CELL)], [last, "x"])
    return {"graph.pb": graph}


def op_types(count: int) -> Messages:
    """Return so many nodes, each of its own op type."""
    graph = new("GraphDef")
    for i in range(count):
        add(graph, f"scope_{i // 100}/n_{i}", f"Op{i}")
    return {"graph.pb": graph}


def traces(count: int) -> Messages:
    """Return so many nodes, each with a stack of twelve frames that few others have."""
    graph, log = new("GraphDef"), new("tfprof.OpLogProto")
    numbers: dict[str, int] = {}
    for i in range(count):
        name = add(graph, f"scope_{i // 100}/n_{i}", OPS[i % len(OPS)])
        code = log.log_entries.add(name=name, float_ops=i % FEW).code_def
        for k in range(FRAMES):
            branch = i // 3 ** (FRAMES - k)
            file, function = (f"/app/part_{branch % 97}_{k}.py", f"call_{k}_{branch % 53}")
            file_id, function_id = (numbers.setdefault(each, len(numbers) + 1) for each in (file, function))
            code.traces.add(lineno=10 + k + branch % 400, file_id=file_id, function_id=function_id)
    for string, number in numbers.items():
        log.id_to_string[number] = string
    return {"graph.pb": graph, "tfprof_log": log}


def functions(count: int) -> Messages:
    """Return so many functions of ten nodes, each called once."""
    return _called(count, [f"function_{i}" for i in range(count)])


def calls(count: int) -> Messages:
    """Return one function of ten nodes, called so often."""
    return _called(count, ["function"])


def _called(count: int, names: list[str]) -> Messages:
    graph = new("GraphDef")
    source(graph, "x", "Placeholder", 8, 64)
    for name in names:
        function = graph.library.function.add()
        function.signature.name = name
        function.signature.input_arg.add(name="x", type=FLOAT)
        function.signature.output_arg.add(name="y", type=FLOAT)
        last = "x"
        for k in range(10):
            node = function.node_def.add(name=f"body/n_{k}", op=("Relu", "Tanh")[k % 2], input=[last])
            node.attr["T"].type = FLOAT
            last = f"body/n_{k}:{('activations', 'y')[k % 2]}:0"
        function.ret["y"] = last
    for i in range(count):
        call = graph.node.add(name=f"scope_{i // 100}/call_{i}", op="PartitionedCall", input=["x"])
        call.attr["f"].func.name = names[i % len(names)]
        for types in ("Tin", "Tout"):
            call.attr[types].list.type.append(FLOAT)
    return {"graph.pb": graph}


def scope_depth(count: int) -> Messages:
    """Return five thousand nodes below so many nested scopes."""
    graph, prefix = new("GraphDef"), "s/" * count
    for i in range(5 * FEW):
        add(graph, f"{prefix}layer_{i // 10}/n_{i}", OPS[i % len(OPS)])
    return {"graph.pb": graph}


def scope_chain(count: int) -> Messages:
    """Return so many nodes, each one scope deeper than the one before."""
    graph = new("GraphDef")
    for i in range(count):
        add(graph, "s/" * i + "n", OPS[i % len(OPS)])
    return {"graph.pb": graph}


KINDS: dict[str, Callable[[int], Messages]] = {
    build.__name__.replace("_", "-"): build
    for build in (
        *(edges, executions, allocations, steps, devices, wide, chain, layers, layers_without_shapes, text),
        *(unrolled, towers, op_types, traces, functions, calls, scope_depth, scope_chain),
    )
}


def build(folder: Path, kind: str, count: int) -> None:
    """Write the files of a kind: text for ``.pbtxt``, else bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, message in KINDS[kind](count).items():
        data = (
            text_format.MessageToBytes(message)
            if name.endswith(".pbtxt")
            else message.SerializeToString(deterministic=True)
        )
        (folder / name).write_bytes(data)


def main() -> None:
    """Read the command line and build."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("count", type=int)
    arguments = parser.parse_args()
    build(arguments.folder, arguments.kind, arguments.count)


if __name__ == "__main__":
    main()
