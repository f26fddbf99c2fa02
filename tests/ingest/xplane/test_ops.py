"""Which events are executions of an op: of the executor, of XLA, of input pipelines; on hosts, GPUs and TPUs."""

from __future__ import annotations

import pyarrow as pa
import pytest
from traces import Trace, instruction, program, read_case

from tfprof_report.ingest.xplane.ops import Place, find_ops, parse_op_names, read_lines

TASK = "/job:localhost/replica:0/task:0"


@pytest.mark.parametrize(
    ("event", "name", "op"),
    [
        ("dense/MatMul:MatMul", "dense/MatMul", "MatMul"),
        ("x:_MklMatMul", "x", "_MklMatMul"),
        ("_arg_images_0_0:_Arg", "_arg_images_0_0", "_Arg"),
        ("loop/body/_1/add-2>x.y:AddV2", "loop/body/_1/add-2>x.y", "AddV2"),
        ("Iterator::Root::Prefetch::Map[0]", "Iterator::Root::Prefetch::Map[0]", "Dataset"),
        ("jit(f)/jvp(net)/dot_general:dot_general", "jit(f)/jvp(net)/dot_general", "dot_general"),
        ("a/reduce:reduce_sum[axes=(0,)]", "a/reduce", "reduce_sum"),
        ("ExecutorState::Process", None, None),
        ("FusionCompiler::Compile", None, None),
        ("FunctionRun", None, None),
        ("EagerLocalExecute: MatMul", None, None),
        ("$main.py:7 step", None, None),
        ("end: dot.1", None, None),
        ("", None, None),
        (None, None, None),
    ],
)
def test_names_of_events_name_ops(event: str | None, name: str | None, op: str | None) -> None:
    assert [found[0].as_py() for found in parse_op_names(pa.array([event], pa.string()))] == [name, op]


@pytest.mark.parametrize(
    ("plane", "line", "place", "device"),
    [
        ("/host:CPU", "tf_Compute/7", Place.HOST, f"{TASK}/device:cpu:0"),
        ("/device:GPU:1", "Stream #13(Kernel)", Place.STREAM, f"{TASK}/device:gpu:1/stream:all"),
        ("/device:GPU:1", "XLA Ops", Place.NOTHING, f"{TASK}/device:gpu:1"),
        ("/device:TPU:0", "XLA Ops", Place.CORE, f"{TASK}/device:tpu:0/stream:all"),
        ("/device:TPU:0", "XLA Modules", Place.NOTHING, f"{TASK}/device:tpu:0"),
        ("/device:CUSTOM:Megascale", "x", Place.ELSEWHERE, "/device:CUSTOM:Megascale"),
        ("/host:python-tracer", "x", Place.ELSEWHERE, "/host:python-tracer"),
        ("/device:GPU:\u0661", "Stream #1", Place.ELSEWHERE, "/device:GPU:\u0661"),
    ],
)
def test_lines_are_of_devices(plane: str, line: str, place: Place, device: str) -> None:
    trace = Trace(level=None)
    trace.line(line, plane=plane)
    found = read_lines(trace.space(), TASK)
    assert (found.place.tolist(), found.device.to_pylist()) == ([place], [device])


def found_ops(trace: Trace) -> list[tuple[str, str | None, str | None]]:
    space = trace.space()
    ops = find_ops(space, read_lines(space, TASK))
    return list(zip(*(ops.of_each(each).to_pylist() for each in ("name", "op", "program")), strict=True))


def test_kernels_name_the_op_that_launched_them_or_the_instruction() -> None:
    trace = Trace(level=None)
    line = trace.line("Stream #1(Kernel)", plane="/device:GPU:0")
    line.event("sgemm", 0, 5, tf_op="dense/MatMul:MatMul").event("memset", 6, 1)
    line.event("fusion_1", 9, 1, hlo_op="fusion.1", hlo_module="jit_f", program_id=7, tf_op="x:y")
    assert found_ops(trace) == [("dense/MatMul", "MatMul", None), ("fusion.1", None, "jit_f(7)")]


def test_instructions_of_a_tpu_are_named_by_their_kind_and_summaries_are_left_out() -> None:
    trace = Trace(level=None)
    plane = trace.plane("/device:TPU:0")
    plane.kind("%fusion.3 = f32[8]{0} fusion(...)", "fusion.3", hlo_module="jit_f", program_id=7)
    plane.line("XLA Ops").event("%fusion.3 = f32[8]{0} fusion(...)", 0, 5)
    plane.line("XLA Ops").event("%copy.2 = f32[8]{0} copy(...)", 6, 5)
    plane.line("XLA Modules").event("jit_f(7)", 0, 5)
    assert found_ops(trace) == [("fusion.3", None, "jit_f(7)"), ("copy.2", None, None)]


def test_a_trace_of_a_tpu_is_a_report_of_its_instructions() -> None:
    """Two cores' worth of steps: a dot of 8 x 32 by 32 x 10, whose name is that of JAX."""
    trace = Trace()
    dot = instruction(
        "dot.3",
        "dot",
        3,
        [8, 10],
        operand_ids=[1, 2],
        dot_dimension_numbers={"lhs_contracting_dimensions": [1], "rhs_contracting_dimensions": [0]},
        metadata={"op_name": "jit(f)/net/dot_general"},
    )
    made = program([instruction("a", "parameter", 1, [8, 32]), instruction("b", "parameter", 2, [32, 10]), dot])
    trace.plane("/host:metadata").kind("jit_f(7)", **{"Hlo Proto": made})
    plane = trace.plane("/device:TPU:0")
    plane.kind("%dot.3", "dot.3", hlo_module="jit_f", program_id=7)
    plane.line("Steps").event("0", 0, 50).event("1", 50, 50)
    plane.line("XLA Ops").event("%dot.3", 5, 20).event("%dot.3", 60, 21).event("copy-start", 90, 4)
    traced = trace.traced(is_graph=True)
    figures = ["name", "op", "is_compiled", "framework_op", "shape", "float_ops", "macs"]
    assert [list(row.values()) for row in traced.run.ops.select(figures).to_pylist()] == [
        ["jit(f)/net/dot_general/dot.3", "dot", True, "jit(f)/net/dot_general", [8, 10], 5120, 2560],
        ["copy-start", None, True, None, None, None, None],
    ]
    nanos = [columns.executions["nanos"].to_pylist() for _, columns in traced.run.run_metas]
    assert nanos == [[20], [21, 4]]
    assert [columns.devices for _, columns in traced.run.run_metas] == [(f"{TASK}/device:tpu:0/stream:all",)] * 2
    assert traced.run.outside.num_rows == 0


def test_the_profiler_of_an_accelerator_says_what_no_program_in_the_trace_does() -> None:
    trace = Trace()
    plane = trace.plane("/device:TPU:0")
    stats = {"tf_op": "jit(f)/net/mul:", "hlo_category": "loop fusion", "flops": 77, "bytes_accessed": 320}
    plane.kind("%fusion.9", "fusion.9", **stats)
    plane.line("XLA Ops").event("%fusion.9", 5, 20)
    figures = ["name", "op", "framework_op", "float_ops", "macs", "moved_bytes", "figured_by"]
    assert [list(row.values()) for row in trace.traced(is_graph=True).run.ops.select(figures).to_pylist()] == [
        ["jit(f)/net/mul/fusion.9", "loop fusion", "jit(f)/net/mul", 77, None, 320, "trace"]
    ]


def test_ops_on_a_host_that_launch_kernels_are_on_their_gpu() -> None:
    """Per step a matmul of two kernels, a relu of one and one of XLA; the last step has a kernel less."""
    found = []
    for number, columns in read_case("made_gpu").run.run_metas:
        table = columns.executions.select(["node_name", "device", "nanos", "run_count"])
        rows = [tuple(row.values()) for row in table.to_pylist()]
        found.append((number, sorted((name, device.removeprefix(TASK), nanos) for name, device, nanos, _ in rows)))
    gpu, stream = "/device:gpu:0", "/device:gpu:0/stream:all"
    each = [("dense/MatMul", gpu, 20_000), ("dense/MatMul", stream, 15_000), ("dense/MatMul", stream, 2000)]
    others = [("cluster_0/fusion.1", stream, 3000), ("dense/Relu", gpu, 9000), ("dense/Relu", stream, 4000)]
    more = [("dense/MatMul", stream, 1000)]
    assert found == [
        (0, sorted([*each, *others, *more])),
        (1, sorted([*each, *others, *more])),
        (2, sorted([*each, *others])),
    ]


def test_time_beside_what_is_read_is_told_with_its_plane() -> None:
    trace = Trace()
    trace.line().event("a:Mul", 0, 5)
    trace.line("kernels", plane="/device:CUSTOM:x").event("b:Mul", 0, 7, hlo_op="b").event("c", 2, 1)
    trace.line("counters", plane="#Chip TPU 0").event("bytes", 0, 0)
    for name, duration in (("XLA Ops", 11), ("Async XLA Ops", 13), ("XLA Modules", 17)):
        trace.line(name, plane="/device:TPU:0").event("%copy.1", 0, duration)
    traced = trace.traced()
    assert traced.run.ops["name"].to_pylist() == ["a", "copy.1"]
    rows = {row["name"]: row["nanos"] for row in traced.run.outside.to_pylist() if row["input"] == "elsewhere"}
    assert rows == {"%copy.1": 13, "b:Mul": 6, "c": 1, "bytes": 0}
    (found,) = traced.diagnostics
    assert (found.code, found.examples) == ("unread_planes", ("/device:CUSTOM:x",))
