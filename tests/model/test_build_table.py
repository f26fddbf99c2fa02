from __future__ import annotations

from typing import Any

import pytest
from examples import examples
from hypothesis import given, settings
from messages import entry, graph, inputs_of, models, node, op_log, ran, run_meta, used
from queries import CPU, GPU, STREAM, table_of

from tfprof_report.diagnostics import Diagnostic
from tfprof_report.model.build_table import build_node_table
from tfprof_report.model.node_table import NodeTable
from tfprof_report.schema.metrics import RUN_STEMS, STEP_STEMS

GRAPH = graph(
    node("x", "Placeholder", shape=[-1, 4], output_shapes=[[-1, 4]], device="/GPU:0"),
    node("w", "VariableV2", shape=[4, 3], output_shapes=[[4, 3], [7]]),
    node("s", "VarHandleOp", shape=[], output_shapes=[[]]),
    node("u", "Variable", shape=[-1, 2], output_shapes=[None]),
    node("h", "VariableV2", shape=[2**40, 2**40]),
    node("b", "VariableV2"),
    node("m", "MatMul", "x", "w:1", "^s", "missing:1", "s", "u", "w:9", "n"),
    node("n", "NoOp", shape=None),
)
FIRST = run_meta(
    {
        GPU: [
            ran("x:Placeholder", start=10, micros=0, memory=[used("GPU_0_bfc", total=100, peak=80, live=30)]),
            ran("m", start=20, micros=5, temp=7, persistent=2, outputs=[(8, 16), (0, 0), (4, 1)]),
            ran("m", start=30, micros=6, temp=0),
        ],
        STREAM: [ran("m:MatMul", start=21, micros=40), ran("kernel", start=50, micros=9)],
        CPU: [ran("m", start=40, micros=3, temp=0), ran("_SOURCE"), ran("Recv", start=60, micros=2), ran("w", start=0)],
        "/device:GPU:0/memcpy": [ran("MEMCPYHtoD"), ran("edge/MEMCPY_1")],
    }
)
SECOND = run_meta({CPU: [ran("m", start=5, micros=11, temp=0), ran("w", start=6, micros=1), ran("RecvTensor")]})
LOG = op_log(
    entry("m", float_ops=24, types=["mine"]),
    entry("m", float_ops=0, types=["mine", "again"]),
    entry("w", types=["_trainable_variables"]),
    entry("gone", float_ops=9),
    entry("x", float_ops=1),
    entry("x", float_ops=2),
)
TABLE = table_of(GRAPH, (3, FIRST), (7, SECOND), op_log=LOG)
NAMES = ["x", "w", "s", "u", "h", "b", "m", "n", "kernel", "Recv"]
CPU0, GPU0 = "/device:cpu:0", "/device:gpu:0"


def column(name: str, table: NodeTable = TABLE) -> dict[str, Any]:
    return dict(zip(table.column("name").to_pylist(), table.column(name).to_pylist(), strict=True))


def by_code(table: NodeTable = TABLE) -> dict[str, Diagnostic]:
    return {each.code: each for each in table.diagnostics}


def test_nodes_stand_in_graph_order_then_what_only_ran_in_order_of_appearance() -> None:
    assert list(column("name")) == NAMES
    assert column("op")["m"] == "MatMul"
    assert [column("op")[name] for name in ("kernel", "Recv")] == [None, None]
    assert list(column("source").values()) == [
        *("both", "both", "graph", "graph", "graph", "graph", "both", "graph", "run_metadata", "run_metadata"),
    ]


def test_a_device_is_the_assigned_one_and_run_devices_are_those_of_executions() -> None:
    assert {name: device for name, device in column("device").items() if device} == {"x": "/GPU:0"}
    assert {name: devices for name, devices in column("run_devices").items() if devices} == {
        "x": [GPU0],
        "w": [CPU0],
        "m": [CPU0, GPU0],
        "Recv": [CPU0],
    }
    assert dict(zip(NAMES, TABLE.canonical_device.to_pylist(), strict=True)) == dict.fromkeys(NAMES) | {
        "x": GPU0,
        "w": CPU0,
        "m": GPU0,
        "Recv": CPU0,
    }


def test_op_types_are_op_devices_and_log_types_sorted_each_once() -> None:
    types = column("op_types")
    assert types["m"] == [CPU0, GPU0, "MatMul", "again", "mine"]
    assert types["w"] == [CPU0, "VariableV2", "_trainable_variables"]
    assert types["kernel"] == []


def test_inputs_stay_as_written_and_only_data_inputs_have_shapes() -> None:
    assert column("inputs")["m"] == ["x", "w:1", "^s", "missing:1", "s", "u", "w:9", "n"]
    assert column("inputs")["kernel"] is None
    assert column("input_shapes")["m"] == [[-1, 4], [7], None, [], None, None, None]
    assert column("input_shapes")["x"] == []


def test_edges_name_source_slot_and_control() -> None:
    edges = TABLE.edges.to_pydict()
    assert edges["node"] == [6] * 8
    assert edges["position"] == list(range(8))
    assert edges["source"] == [0, 1, 2, None, 2, 3, 1, 7]
    assert edges["slot"] == [0, 1, 0, 1, 0, 0, 9, 0]
    assert edges["is_control"] == [False, False, True, False, False, False, False, False]


def test_a_shape_is_null_where_there_is_none_or_its_rank_is_unknown() -> None:
    assert list(column("shape").values()) == [
        *([-1, 4], [4, 3], [], [-1, 2], [2**40, 2**40], None, None, None, None, None),
    ]
    assert list(column("output_shapes").values())[:5] == [[[-1, 4]], [[4, 3], [7]], [[]], [None], None]


def test_params_are_elements_of_variables_and_null_where_not_known() -> None:
    assert column("params") == {
        "x": 0,
        "w": 12,
        "s": 1,
        "u": None,
        "h": None,
        "b": None,
        "m": 0,
        "n": 0,
        "kernel": None,
        "Recv": None,
    }


def test_float_ops_are_the_last_number_of_the_log_that_is_not_zero() -> None:
    assert {name: value for name, value in column("float_ops").items() if value is not None} == {"x": 2, "m": 24}
    assert {name: value for name, value in column("float_ops_source").items() if value} == dict.fromkeys(
        ("x", "m"), "op_log"
    )


def test_trainable_is_known_only_where_the_log_marks_variables() -> None:
    assert column("trainable") == dict.fromkeys(NAMES, False) | {"w": True}
    assert set(column("trainable", table_of(GRAPH, op_log=op_log(entry("w", types=["mine"])))).values()) == {None}


def test_run_time_columns_are_means_over_all_steps() -> None:
    def row(name: str) -> dict[str, Any]:
        return {stem: column(stem)[name] for stem in RUN_STEMS}

    assert row("m") == {
        "run_float_ops": 24 * 2.0,
        "bytes": 4.5,
        "peak_bytes": 4.5,
        "residual_bytes": 1.0,
        "output_bytes": 10.0,
        "micros": 32.5,
        "accelerator_micros": 20.0,
        "cpu_micros": 12.5,
        "run_count": 2.0,
    }
    assert row("x")["micros"] == 0.5
    assert (row("x")["bytes"], row("x")["peak_bytes"], row("x")["residual_bytes"]) == (50.0, 40.0, 15.0)
    assert (row("kernel")["accelerator_micros"], row("kernel")["run_count"]) == (4.5, 0.5)
    assert [row("n")[stem] for stem in ("run_count", "run_float_ops")] == [0.0, None]


def test_without_run_metadata_run_time_is_unknown() -> None:
    table = table_of(GRAPH, op_log=LOG)
    assert not table.has_run_meta
    assert {value for stem in RUN_STEMS for value in column(stem, table).values()} == {None}


def test_steps_are_exact_per_node_step_and_device() -> None:
    rows = TABLE.steps.to_pylist()
    keys = [(NAMES[row["node"]], row["step"], row["device"], row["first_device"]) for row in rows]
    stream = f"{GPU0}/stream:all"
    assert keys == [
        ("x", 3, GPU0, True),
        ("w", 3, CPU0, True),
        ("w", 7, CPU0, True),
        ("m", 3, CPU0, False),
        ("m", 3, GPU0, True),
        ("m", 3, stream, True),
        ("m", 7, CPU0, False),
        ("kernel", 3, stream, True),
        ("Recv", 3, CPU0, True),
    ]
    figures = [tuple(row[stem] for stem in STEP_STEMS) for row in rows]
    assert (
        *("bytes", "peak_bytes", "residual_bytes", "output_bytes", "micros"),
        *("accelerator_micros", "cpu_micros", "run_count"),
    ) == STEP_STEMS
    assert figures == [
        (100, 80, 30, 0, 1, 0, 1, 1),  # an execution takes at least a microsecond
        (None, None, None, None, 0, 0, 0, 0),  # no start time: neither time nor memory
        (None, None, None, None, 1, 0, 1, 1),
        (0, 0, 0, 0, 3, 0, 3, 1),
        (9, 9, 2, 20, 11, 0, 11, 2),
        (0, 0, 0, 0, 40, 40, 0, 0),  # no memory is noted for kernels: it stands with the node on its device
        (0, 0, 0, 0, 11, 0, 11, 1),
        (None, None, None, None, 9, 9, 0, 1),  # kernels only: counted as one run
        (None, None, None, None, 2, 0, 2, 1),
    ]
    no_start, no_record = "no start time", "no memory record"
    reasons = [row["memory_reason"] for row in rows]
    assert reasons == [None, no_start, no_record, None, None, None, None, no_record, no_record]
    assert column("memory_reason") == dict.fromkeys(NAMES) | {"w": no_start, "kernel": no_record, "Recv": no_record}


def test_what_matches_nothing_is_counted_with_examples() -> None:
    found = {code: (each.count, each.examples) for code, each in by_code().items()}
    assert found == {
        "run_only_nodes": (2, ("kernel", "Recv")),
        "helper_records": (
            4,
            tuple(
                f"{name} (1 record, time 1 us, memory unknown)"
                for name in ("_SOURCE", "MEMCPYHtoD", "edge/MEMCPY_1", "RecvTensor")
            ),
        ),
        "unmatched_op_log": (1, ("gone",)),
        "repeated_op_log": (2, ("m", "x")),
        "dangling_inputs": (1, ("missing:1",)),
        "without_start_time": (1, ()),
        "second_device": (2, ()),
        "no_memory_record": (3, ("w", "kernel", "Recv")),
        "unknown_params": (3, ("u", "h", "b")),
    }


def test_a_repeated_name_counts_once_and_is_reported() -> None:
    table = table_of(graph(node("a", "Add"), node("a", "Mul"), node("b", "Mul"), node("a", "Sub")))
    assert column("op", table) == {"a": "Add", "b": "Mul"}
    assert (by_code(table)["duplicate_nodes"].count, by_code(table)["duplicate_nodes"].examples) == (2, ("a", "a"))


def test_a_gpu_without_stream_is_reported() -> None:
    table = table_of(GRAPH, run_meta({GPU: [ran("m")]}))
    assert table.misses_stream
    assert by_code(table)["missing_stream"].count == 1
    assert not TABLE.misses_stream


def test_memory_is_unknown_where_no_trace_speaks_of_it() -> None:
    table = table_of(graph(node("a", "A")), run_meta({CPU: [ran("a", micros=2)]}))
    assert column("bytes", table) == {"a": None}
    assert table.steps["bytes"].to_pylist() == [None]
    assert column("micros", table) == {"a": 2.0}


def test_a_step_that_is_given_twice_adds_up() -> None:
    table = table_of(GRAPH, (3, SECOND), (3, SECOND))
    assert table.step_numbers == (3,)
    assert column("cpu_micros", table)["m"] == 22.0


def test_a_device_without_a_name_holds_memory_until_the_node_runs_on_a_real_one() -> None:
    def at(*devices: str) -> list[int | None]:
        totals = [10 ** (place + 1) for place in range(len(devices))]
        records = [
            (device, [ran("a", memory=[used("cpu", total=total)])])
            for device, total in zip(devices, totals, strict=True)
        ]
        rows: list[int | None] = table_of(graph(node("a", "A")), run_meta(records)).steps["bytes"].to_pylist()
        return rows

    assert at("", CPU) == [10, 100]
    assert at(CPU, "") == [None, 10]  # of a device of unknown kind


MEMORY_CASES = {
    "the most in use at a time": (
        {CPU: [ran("a", memory=[used("cpu", in_use=5, records=[(1, 8)])]), ran("b", memory=[used("cpu", in_use=9)])]},
        [(CPU0, 3, 9, "allocator_bytes_in_use")],
    ),
    "more in between than when nodes end": (
        {CPU: [ran("a", memory=[used("cpu", in_use=5, records=[(1, 9), (2, 90), (3, -94)])])]},
        [(CPU0, 3, 99, "allocation records")],
    ),
    "allocations without a release, of several allocators": (
        {CPU: [ran("a", memory=[used("cpu", in_use=60, records=[(1, 50)]), used("mklcpu", in_use=70)])]},
        [(CPU0, 3, 70, "allocator_bytes_in_use")],
    ),
    "as much by both": (
        {CPU: [ran("a", memory=[used("cpu", in_use=50, records=[(1, 50)])])]},
        [(CPU0, 3, 50, "allocator_bytes_in_use")],
    ),
    "a negative number in use beside another": (
        {CPU: [ran("a", memory=[used("cpu", in_use=-5)]), ran("b", memory=[used("cpu", in_use=3)])]},
        [(CPU0, 3, 3, "allocator_bytes_in_use")],
    ),
    "a negative number in use alone": (
        {CPU: [ran("a", memory=[used("cpu", in_use=-5)])]},
        [(CPU0, 3, None, "the trace has no memory in use")],
    ),
    "allocation records in the order of their times": (
        {CPU: [ran("a", memory=[used("cpu", records=[(3, -40), (1, 50), (2, 60)])]), ran("b", memory=[used("cpu")])]},
        [(CPU0, 3, 110, "allocation records")],
    ),
    "a device that only frees, and had held at least that much": (
        {CPU: [ran("a", memory=[used("cpu", records=[(1, -50)])])]},
        [(CPU0, 3, None, "the allocation records only release memory")],
    ),
    "host memory of a GPU": (
        {GPU: [ran("a", memory=[used("GPU_0_bfc", in_use=7), used("gpu_host_bfc", in_use=100)])], STREAM: []},
        [(GPU0, 3, 7, "allocator_bytes_in_use")],
    ),
    "no memory at all": (
        {GPU: [ran("a")], CPU: [ran("a")], "/job:x/device:TPU:0": [ran("a", memory=[used("tpu", in_use=3)])]},
        [
            (CPU0, 3, None, "the trace has no memory in use"),
            (GPU0, 3, None, "the trace has no memory in use"),
        ],
    ),
}


@pytest.mark.parametrize("case", MEMORY_CASES)
def test_device_peak_is_the_larger_of_memory_in_use_and_allocation_records_else_unknown(case: str) -> None:
    devices, expected = MEMORY_CASES[case]
    peaks = table_of(graph(), (3, run_meta(devices))).devices
    assert [(peak.device, peak.step, peak.device_peak_bytes, peak.source) for peak in peaks] == expected


def test_device_peaks_are_per_step_and_a_step_in_two_files_is_one() -> None:
    def step(in_use: int) -> Any:
        return run_meta({CPU: [ran("a", memory=[used("cpu", in_use=in_use)])]})

    peaks = table_of(graph(), (7, step(3)), (2, step(5)), (7, step(8))).devices
    assert [(peak.step, peak.device_peak_bytes) for peak in peaks] == [(2, 5), (7, 8)]


@pytest.mark.thorough
@settings(max_examples=examples(50), deadline=None)
@given(models())
def test_every_record_is_counted_once_and_building_twice_gives_the_same(model: Any) -> None:
    table = build_node_table(inputs_of(*model))
    again = build_node_table(inputs_of(*model))
    assert table.nodes.equals(again.nodes)
    assert table.steps.equals(again.steps)
    assert table.diagnostics == again.diagnostics

    canonical = ("/device:cpu:0", "/device:gpu:0", "/device:gpu:1", "/cpu:0", "/gpu:0")
    started = [
        (record.node_name.partition(":")[0], device.device.lower())
        for _, message in model[1]
        for device in message.step_stats.dev_stats
        for record in device.node_stats
        if record.all_start_micros > 0
    ]
    names = set(table.column("name").to_pylist())
    records = [
        record.node_name.partition(":")[0]
        for _, message in model[1]
        for device in message.step_stats.dev_stats
        for record in device.node_stats
    ]
    helpers = by_code(table).get("helper_records")
    assert sum(name not in names for name in records) == (helpers.count if helpers else 0)
    runs = [name for name, device in started if device.endswith(canonical) and device != "gpu:0" and name in names]
    kernel_only = int(sum(row["run_count"] for row in table.steps.to_pylist() if "stream:all" in row["device"]))
    assert sum(table.steps["run_count"].drop_null().to_pylist()) == len(runs) + kernel_only
