"""Tiny profiler messages in one-line notation, and hypothesis strategies that draw random ones.

``graph(node("a", "MatMul", "x", "w:1"))``, ``run_meta({"/device:CPU:0": [ran("a", start=5, micros=3)]})`` and
``op_log(entry("a", float_ops=12))`` build messages by hand; `models` draws all three about the same nodes;
`inputs_of` reads messages into columns without files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hypothesis import strategies as st

from tfprof_report.ingest.decode import Decoded, _attr_digests, _to_arrow
from tfprof_report.ingest.descriptors import message_class
from tfprof_report.ingest.graph_def import read_graph
from tfprof_report.ingest.op_log import read_op_log
from tfprof_report.ingest.read import Inputs
from tfprof_report.ingest.run_meta import read_run_meta
from tfprof_report.ingest.sniff import FULL_NAMES, Kind

Shape = Sequence[int] | None
"""Sizes, -1 for an unknown one, empty for a scalar; None is an unknown rank."""


def new(full_name: str, **fields: Any) -> Any:
    """Return a message by its full name, such as ``tensorflow.NodeDef``."""
    return message_class(full_name)(**fields)


def shape_proto(shape: Shape) -> Any:
    """Return a TensorShapeProto."""
    return new("tensorflow.TensorShapeProto", dim=[{"size": size} for size in shape or ()], unknown_rank=shape is None)


def node(name: str, op: str, *inputs: str, device: str = "", **attrs: Any) -> Any:
    """Return a NodeDef; ``shape=`` takes a shape, ``output_shapes=`` a list of them, other attributes are strings."""
    made = new("tensorflow.NodeDef", name=name, op=op, input=inputs, device=device)
    for key, value in attrs.items():
        if key == "shape":
            made.attr["shape"].shape.CopyFrom(shape_proto(value))
        elif key == "output_shapes":
            made.attr["_output_shapes"].list.SetInParent()
            made.attr["_output_shapes"].list.shape.extend(shape_proto(shape) for shape in value)
        else:
            made.attr[key].s = value.encode()
    return made


def graph(*nodes: Any) -> Any:
    """Return a GraphDef."""
    return new("tensorflow.GraphDef", node=nodes)


def function(name: str, args: Sequence[str], rets: Mapping[str, str], *nodes: Any) -> Any:
    """Return a FunctionDef; `rets` maps output names to tensors of the body."""
    made = new("tensorflow.FunctionDef", node_def=nodes, ret=rets)
    made.signature.name = name
    for arg in args:
        made.signature.input_arg.add(name=arg)
    for ret in rets:
        made.signature.output_arg.add(name=ret)
    return made


def call(name: str, op: str, *inputs: str, **functions: str) -> Any:
    """Return a NodeDef that calls functions; `functions` maps attributes to their names."""
    made = node(name, op, *inputs)
    for key, value in functions.items():
        made.attr[key].func.name = value
    return made


def with_library(made: Any, *functions: Any) -> Any:
    """Return the GraphDef `made` with functions in its library."""
    made.library.function.extend(functions)
    return made


def used(allocator: str, *, total: int = 0, peak: int = 0, live: int = 0, in_use: int = 0, records: Any = ()) -> Any:
    """Return an AllocatorMemoryUsed; `records` are (micros, bytes) pairs."""
    return new(
        "tensorflow.AllocatorMemoryUsed",
        allocator_name=allocator,
        total_bytes=total,
        peak_bytes=peak,
        live_bytes=live,
        allocator_bytes_in_use=in_use,
        allocation_records=[{"alloc_micros": micros, "alloc_bytes": size} for micros, size in records],
    )


def ran(
    name: str,
    *,
    start: int = 1,
    micros: int = 0,
    nanos: int | None = None,
    memory: Iterable[Any] = (),
    outputs: Iterable[tuple[int, int] | None] = (),
    temp: int | None = None,
    persistent: int | None = None,
    label: str = "",
) -> Any:
    """Return a NodeExecStats.

    `outputs` are (requested, allocated) bytes, None for an output without a description. With `nanos` it has its start
    and end in nanoseconds too.
    """
    made = new(
        "tensorflow.NodeExecStats",
        node_name=name,
        all_start_micros=start,
        op_end_rel_micros=micros,
        memory=memory,
        timeline_label=label,
    )
    if nanos is not None:
        made.all_start_nanos, made.op_end_rel_nanos = 1000 * start, nanos
    for slot, sizes in enumerate(outputs):
        output = made.output.add(slot=slot)
        if sizes is not None:
            described = output.tensor_description.allocation_description
            described.SetInParent()
            described.requested_bytes, described.allocated_bytes = sizes
    if temp is not None or persistent is not None:
        made.memory_stats.SetInParent()
        made.memory_stats.temp_memory_size = temp or 0
        made.memory_stats.persistent_memory_size = persistent or 0
    return made


def run_meta(devices: Mapping[str, Sequence[Any]] | Sequence[tuple[str, Sequence[Any]]] | None) -> Any:
    """Return a RunMetadata from executions by device; None omits step_stats."""
    made = new("tensorflow.RunMetadata")
    if devices is None:
        return made
    made.step_stats.SetInParent()
    for device, executions in devices.items() if isinstance(devices, Mapping) else devices:
        made.step_stats.dev_stats.add(device=device, node_stats=executions)
    return made


def entry(name: str, *, float_ops: int = 0, types: Iterable[str] = (), traces: Iterable[Any] | None = None) -> Any:
    """Return an OpLogEntry; `traces` are (line, file id, function id), None omits code_def."""
    made = new("tensorflow.tfprof.OpLogEntry", name=name, float_ops=float_ops, types=types)
    if traces is not None:
        made.code_def.SetInParent()
        for line, file_id, function_id in traces:
            made.code_def.traces.add(lineno=line, file_id=file_id, function_id=function_id)
    return made


def op_log(*entries: Any, strings: Mapping[int, str] | None = None) -> Any:
    """Return an OpLogProto."""
    return new("tensorflow.tfprof.OpLogProto", log_entries=entries, id_to_string=strings or {})


def decoded(message: Any, kind: Kind) -> Decoded:
    """Return a message as decoded; its kind is not sniffed, so that unusual messages pass too."""
    data = message_class(FULL_NAMES[kind]).FromString(message.SerializeToString()).SerializeToString()
    digests = _attr_digests(data) if kind is Kind.GRAPH else None
    return Decoded(batch=_to_arrow(data, kind), form="binary", digests=digests)


def inputs_of(graph: Any, run_metas: Sequence[tuple[int, Any]] = (), op_log: Any = None) -> Inputs:
    """Return the columns of messages, as `read_inputs` returns them for files."""
    return Inputs(
        graph=read_graph(decoded(graph, Kind.GRAPH)),
        run_metas=tuple((step, read_run_meta(decoded(message, Kind.RUN_META))) for step, message in run_metas),
        op_log=None if op_log is None else read_op_log(decoded(op_log, Kind.OP_LOG)),
        files=(),
        diagnostics=(),
    )


# Short names from few letters, so that prefixes, siblings and repetitions are frequent.
_PARTS = ["a", "b", "ab", "a_1", "gradients", "é", "名", "_", ""]
OPS = [
    "MatMul",
    "Add",
    "Conv2D",
    "VariableV2",
    "Const",
    "NoOp",
    "Placeholder",
    "VarHandleOp",
    "Mul",
    "odd Op",
    "FusedBatchNormV3",
]
TYPES = ["_trainable_variables", "_checkpoint_variables", "mine", "MatMul", "é"]
DEVICES = [
    "/job:localhost/replica:0/task:0/device:CPU:0",
    "/job:localhost/replica:0/task:0/device:GPU:0",
    "/device:GPU:1",
    "/device:GPU:0/stream:all",
    "/device:GPU:0/stream:13",
    "/device:GPU:0/memcpy",
    "/host:CPU",
    "/cpu:0",
    "/gpu:0",
    "/device:TPU:0",
    "gpu:0",
    "",
]
_FOREIGN_NAMES = ["_SOURCE", "RecvTensor", "MEMCPYHtoD", "a/MEMCPY", "_SINK", "only/at/run/time"]
_FIGURES = st.one_of(st.integers(0, 100), st.integers(-(2**40), 2**40))
_SIZES = st.one_of(st.integers(0, 100), st.integers(0, 2**40))


def node_names() -> st.SearchStrategy[str]:
    """Draw names of nodes: mostly tidy paths, some with odd slashes and colons; never empty."""
    paths = st.lists(st.sampled_from(_PARTS), min_size=1, max_size=4).map("/".join)
    odd = st.sampled_from(
        ["a:b", "/", "//", "a/", "/a", "a//b", "a:0", "_TFProfRoot", "a b", "a/BatchNorm", "^a", "a\nb", "<b>|"]
    )
    return st.one_of(paths, paths, paths, odd).filter(bool)


def related_names(names: Sequence[str]) -> st.SearchStrategy[str]:
    """Draw names of nodes below those of `names`, and of their gradients; some are odd."""
    forward = st.sampled_from([*names, "missing", ""])
    begin, end = st.sampled_from(["gradients/", "gradients/", "a/gradients/"]), st.sampled_from(["_grad/", "_grad/a"])
    odd = st.sampled_from(["_grad/gradients/a", "gradients/a", "a_grad/b", "gradients/gradients/a_grad/b_grad/"])
    tidy = st.tuples(begin, forward, end).map("".join)
    below = st.sampled_from([*names, "a"]).map(lambda name: f"{name}/w")
    return st.one_of(tidy, tidy, below, odd)


def shapes() -> st.SearchStrategy[Any]:
    """Draw shapes: unknown rank, scalars, known, zero and unknown sizes."""
    return st.one_of(st.none(), st.lists(st.sampled_from([-1, 0, 1, 2, 3, 7, 1000]), max_size=4))


_STRINGS = {0: "a/train.py", 1: "b/train.py", 2: "é", 3: "", 4: "a_function_with_a_long_name"}
"""File and function names of call stacks; two files have the same base name."""


@st.composite
def graphs(draw: st.DrawFn, *, max_nodes: int = 12) -> Any:
    """Draw a GraphDef: mostly distinct names; inputs may be missing, controlling, repeated or form a cycle."""
    count = draw(st.integers(0, max_nodes))  # a list without a drawn length is short on average
    names = draw(st.lists(node_names(), min_size=count, max_size=count))
    names += draw(st.lists(related_names(names), max_size=4))
    may_cycle = draw(st.booleans())
    nodes = []
    for place, name in enumerate(names):
        sources = st.sampled_from([*(names if may_cycle else names[:place]), "missing"])
        inputs = st.tuples(st.sampled_from(["", "", "^"]), sources, st.sampled_from(["", "", ":0", ":1"])).map("".join)
        attrs: dict[str, Any] = {}
        if draw(st.booleans()):
            attrs["shape"] = draw(shapes())
        if draw(st.booleans()):
            attrs["output_shapes"] = draw(st.lists(shapes(), max_size=2))
        if draw(st.booleans()):
            attrs["data_format"] = "NHWC"
        device = draw(st.sampled_from(["", *DEVICES]))
        given = draw(st.lists(inputs, max_size=3))
        nodes.append(node(name, draw(st.sampled_from(OPS)), *given, device=device, **attrs))
    return graph(*nodes)


@st.composite
def executions(draw: st.DrawFn, names: Sequence[str]) -> Any:
    """Draw a NodeExecStats, mostly of one of `names`."""
    known = st.sampled_from([*names[:3] * 4, *names, *_FOREIGN_NAMES])  # the first few nodes get most records
    name = draw(st.one_of(known, known, known, node_names()))
    suffix = draw(st.sampled_from(["", "", "", ":MatMul", ":0:1"]))
    memory = st.builds(
        used,
        st.sampled_from(["cpu", "GPU_0_bfc", "gpu_host_bfc", "GPU_1_bfc"]),
        total=_SIZES,
        peak=_SIZES,
        live=st.one_of(st.just(-1000), _FIGURES),
        in_use=_SIZES,
        records=st.lists(st.tuples(_SIZES, _FIGURES), max_size=2),
    )
    return ran(
        name + suffix,
        start=draw(st.one_of(st.just(0), st.sampled_from([1, 5, 9]), st.integers(1, 50), st.integers(-5, 2**50))),
        micros=draw(st.one_of(st.integers(0, 20), st.integers(0, 2**40))),
        memory=draw(st.lists(memory, max_size=2)),
        outputs=draw(st.lists(st.one_of(st.none(), st.tuples(_SIZES, _SIZES)), max_size=2)),
        temp=draw(st.one_of(st.none(), _SIZES)),
        persistent=draw(st.one_of(st.none(), _FIGURES)),
    )


def run_metas(names: Sequence[str]) -> st.SearchStrategy[Any]:
    """Draw a RunMetadata about `names`; devices may repeat, be empty or be missing."""
    usual = [DEVICES[0], "/device:GPU:0/stream:all"]
    device = st.tuples(st.sampled_from([*DEVICES, *usual, *usual]), st.lists(executions(names), max_size=4))
    return st.one_of(
        st.lists(device, min_size=1, max_size=4), st.lists(device, max_size=4), st.sampled_from([None, []])
    ).map(run_meta)


def op_logs(names: Sequence[str]) -> st.SearchStrategy[Any]:
    """Draw an OpLogProto about `names`: repeated, unknown and empty entries, with and without call stacks."""
    line, file, function = ([1, 1, 1, 2, -1], [0, 0, 1, 1, 2, 3, 4], [2, 2, 2, 3, 4])
    frame = st.tuples(st.sampled_from(line), st.sampled_from(file), st.sampled_from(function))
    traces = st.lists(frame, max_size=4)
    entries = st.builds(
        entry,
        st.sampled_from([*names[:3] * 4, *names, "missing"]),
        float_ops=st.one_of(st.just(0), st.sampled_from([-1, 1]), st.sampled_from([-1, 1]), _FIGURES),
        types=st.lists(st.sampled_from(TYPES), max_size=3),
        traces=st.one_of(st.none(), traces, traces),
    )
    strings = st.sampled_from([*[_STRINGS] * 4, {}])
    opposite = [
        entry(name, float_ops=float_ops, traces=[(1, file, 2)])  # a sum of zero, and frames of equal base names
        for name, float_ops, file in zip(names[:2], (-1, 1), (0, 1), strict=False)
    ]
    made = st.one_of(st.lists(entries, max_size=12), st.lists(entries, max_size=12), st.just(opposite))
    return st.builds(lambda made, ids: op_log(*made, strings=ids), made, strings)


@st.composite
def models(draw: st.DrawFn, *, max_nodes: int = 12) -> tuple[Any, list[tuple[int, Any]], Any]:
    """Draw a GraphDef, (step, RunMetadata) pairs and an OpLogProto or None; a step may come twice."""
    made = draw(graphs(max_nodes=max_nodes))
    names = [each.name for each in made.node]
    steps = draw(st.lists(st.sampled_from([0, 1, 2, 7, 100]), max_size=3))
    messages: list[Any] = []
    for _ in steps:  # steps are often alike
        messages.append(draw(st.one_of(run_metas(names), *[st.just(message) for message in messages])))
    return made, list(zip(steps, messages, strict=True)), draw(st.one_of(st.none(), op_logs(names)))


def chain(length: int, last: Any) -> Any:
    calls = [
        function(f"f{number}", ["x"], {"y": "b:y:0"}, *(call(name, f"f{number + 1}", "x") for name in "ab"))
        for number in range(length)
    ]
    end = function(f"f{length}", ["x"], {"y": "end:y:0"}, last)
    return with_library(graph(node("a", "Placeholder", output_shapes=[(4, 4)]), call("f", "f0", "a")), *calls, end)
