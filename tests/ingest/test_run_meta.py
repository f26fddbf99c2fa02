from __future__ import annotations

from typing import Any

import pytest
from examples import examples
from hypothesis import given, settings
from messages import decoded, models, new, ran, run_meta, used

from tfprof_report.ingest.run_meta import NEGATIVE, SIZES, RunMetaColumns, read_run_meta
from tfprof_report.ingest.sniff import Kind


def columns_of(devices: Any) -> RunMetaColumns:
    return read_run_meta(decoded(run_meta(devices), Kind.RUN_META))


def executions(*records: Any, device: str = "/device:CPU:0") -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = columns_of({device: records}).executions.to_pylist()
    return rows


def test_every_record_is_a_row_in_file_order_with_its_device_in_lower_case() -> None:
    table = columns_of(
        [
            ("/device:GPU:0", [ran("a", start=5, micros=3), ran("b", start=6)]),
            ("/device:CPU:0", []),
            ("/device:GPU:0/stream:all", [ran("a", start=7, micros=-2)]),
        ]
    ).executions
    assert table.select(["node_name", "device", "start_micros", "micros"]).to_pydict() == {
        "node_name": ["a", "b", "a"],
        "device": ["/device:gpu:0", "/device:gpu:0", "/device:gpu:0/stream:all"],
        "start_micros": [5, 6, 7],
        "micros": [3, 0, -2],
    }


def test_only_ascii_letters_of_a_device_become_lower_case() -> None:
    assert columns_of({"/JOB:É/CPU:0": []}).devices == ("/job:É/cpu:0",)


def test_devices_keep_their_order_and_repetitions() -> None:
    assert columns_of([("/b", []), ("/a", []), ("/B", [])]).devices == ("/b", "/a", "/b")


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("a", "a"),
        ("a:Conv2D", "a"),
        ("a:b:c", "a"),
        ("a/b:0", "a/b"),
        (":x", ""),
        ("é:x", "é"),
        ("a = Op(b)", "a = Op(b)"),
        ("", ""),
    ],
)
def test_a_name_ends_at_its_first_colon(written: str, read: str) -> None:
    names = [row["node_name"] for row in executions(ran("before"), ran(written), ran("after:1"))]
    assert names == ["before", read, "after"]


def test_memory_is_summed_over_allocators_and_memory_stats() -> None:
    (row,) = executions(
        ran(
            "a",
            memory=[used("cpu", total=100, peak=70, live=-30), used("gpu", total=20, peak=9, live=4)],
            outputs=[(3, 4), None, (50, 8)],
            temp=1000,
            persistent=20000,
        )
    )
    assert row["bytes"] == 100 + 20 + 1000 + 20000
    assert row["peak_bytes"] == 70 + 9 + 1000 + 20000
    assert row["residual_bytes"] == -30 + 4 + 20000
    assert row["output_bytes"] == 4 + 50
    assert (row["has_memory"], row["has_outputs"]) == (True, False)  # one output is not described


def test_memory_of_one_record_does_not_leak_into_the_next() -> None:
    rows = executions(
        ran("a", memory=[used("cpu", total=1)]), ran("b"), ran("c", memory=[used("cpu", total=2), used("x", total=3)])
    )
    assert [row["bytes"] for row in rows] == [1, 0, 5]


@pytest.mark.parametrize(
    ("record", "has_memory", "has_outputs"),
    [
        (ran("a"), False, False),
        (ran("a", memory=[used("cpu")]), False, False),
        (ran("a", memory=[used("cpu", in_use=7)]), True, True),
        (ran("a", memory=[used("cpu", records=[(1, 2)])]), True, True),
        (ran("a", outputs=[None]), False, False),
        (ran("a", outputs=[(0, 0)]), False, True),
        (ran("a", outputs=[(0, 0), None], temp=0), True, False),
        (ran("a", temp=0), True, True),
        (ran("a", label="a = NoOp(^b)"), True, True),
        (ran("a", label="a = Mul(b, NoOp)"), False, False),
    ],
    ids=[
        *("nothing", "an allocator's name", "memory in use", "an allocation record", "an output without a description"),
        *("an output", "one of two outputs", "memory stats", "no kernel", "a kernel"),
    ],
)
def test_a_record_without_any_memory_is_told_from_zero_bytes(
    record: Any, *, has_memory: bool, has_outputs: bool
) -> None:
    (row,) = executions(record)
    assert row["has_memory"] is has_memory
    assert row["has_outputs"] is has_outputs
    assert (row["bytes"], row["peak_bytes"], row["residual_bytes"], row["output_bytes"]) == (0, 0, 0, 0)


def test_an_output_without_elements_has_no_allocation_to_describe() -> None:
    record = ran("a", outputs=[None, None])
    for slot, sizes in enumerate(([3, 0], [0])):
        for size in sizes:
            record.output[slot].tensor_description.shape.dim.add(size=size)
    (row,) = executions(record)
    assert row["has_outputs"] is True
    assert row["output_bytes"] == 0
    record.output[0].tensor_description.shape.dim[1].size = 2
    assert executions(record)[0]["has_outputs"] is False


BASIC = {"total": 5, "peak": 4, "live": 3, "in_use": 2}


@pytest.mark.parametrize(
    ("record", "negative"),
    [
        (ran("a", memory=[used("cpu", **BASIC)], outputs=[(1, 2)], temp=1, persistent=1), []),
        (ran("a", memory=[used("cpu", **BASIC), used("x", total=-1)]), ["bytes"]),
        (ran("a", memory=[used("cpu", **BASIC | {"peak": -1})]), ["peak_bytes"]),
        (ran("a", memory=[used("cpu", **BASIC | {"live": -1})]), ["residual_bytes"]),
        (ran("a", memory=[used("cpu", **BASIC | {"in_use": -1})]), ["bytes_in_use"]),
        (ran("a", memory=[used("cpu", **BASIC)], temp=-1), ["bytes", "peak_bytes"]),
        (ran("a", memory=[used("cpu", **BASIC)], persistent=-1), ["bytes", "peak_bytes", "residual_bytes"]),
        (ran("a", outputs=[(8, 8), (-1, 8)]), ["output_bytes"]),
        (ran("a", outputs=[(8, -1)]), ["output_bytes"]),
        (ran("a", memory=[used("cpu", records=[(1, 8), (2, -8)])]), []),
    ],
    ids=[
        *("none", "total", "peak", "live", "in use", "temporary", "persistent", "requested", "allocated", "a release"),
    ],
)
def test_a_negative_size_is_marked_for_the_sums_that_it_is_part_of(record: Any, negative: list[str]) -> None:
    (row,) = executions(record)
    assert [name for name in SIZES if row[NEGATIVE + name]] == negative


def test_allocations_list_bytes_in_use_then_the_records_of_each_allocator() -> None:
    table = columns_of(
        {
            "/device:GPU:0": [ran("a", memory=[used("GPU_0_bfc", in_use=8, records=[(1, 2), (3, -4)]), used("cpu")])],
            "/device:CPU:0": [ran("b", memory=[used("cpu", in_use=5), used("x", records=[(7, 6)])])],
        }
    ).allocations
    names = ["device", "allocator", "bytes_in_use", "micros", "allocated_bytes"]
    assert [tuple(row[name] for name in names) for row in table.to_pylist()] == [
        ("/device:gpu:0", "GPU_0_bfc", 8, None, None),
        ("/device:cpu:0", "cpu", 5, None, None),
        ("/device:gpu:0", "GPU_0_bfc", None, 1, 2),
        ("/device:gpu:0", "GPU_0_bfc", None, 3, -4),
        ("/device:cpu:0", "x", None, 7, 6),
    ]


@pytest.mark.parametrize(("devices", "has_step_stats"), [(None, False), ([], True), ([("/cpu:0", [])], True)])
def test_a_message_without_step_stats_is_told_from_one_without_records(devices: Any, *, has_step_stats: bool) -> None:
    columns = columns_of(devices)
    assert columns.has_step_stats is has_step_stats
    assert columns.executions.num_rows == columns.allocations.num_rows == 0
    assert columns.devices == tuple(device for device, _ in devices or ())


def test_parts_that_no_figure_uses_are_ignored() -> None:
    message = new("tensorflow.RunMetadata", cost_graph={"node": [{"name": "a", "compute_cost": 5}]})
    assert not read_run_meta(decoded(message, Kind.RUN_META)).has_step_stats


@settings(max_examples=examples(60), deadline=None)
@given(models(max_nodes=4))
def test_columns_hold_what_the_message_says_record_by_record(model: tuple[Any, list[tuple[int, Any]], Any]) -> None:
    for _, message in model[1]:
        expected = [
            {
                "node_name": record.node_name.split(":")[0],
                "device": device.device.lower(),
                "start_micros": record.all_start_micros,
                "micros": record.op_end_rel_micros,
                **memory_of(record),
            }
            for device in message.step_stats.dev_stats
            for record in device.node_stats
        ]
        table = read_run_meta(decoded(message, Kind.RUN_META)).executions
        assert table.select(list(expected[0]) if expected else []).to_pylist() == expected


def memory_of(record: Any) -> dict[str, Any]:
    stats = record.memory_stats
    fixed, temp = stats.persistent_memory_size, stats.temp_memory_size
    described = [each.tensor_description.allocation_description for each in record.output]
    return {
        "bytes": sum(each.total_bytes for each in record.memory) + fixed + temp,
        "peak_bytes": sum(each.peak_bytes for each in record.memory) + fixed + temp,
        "residual_bytes": sum(each.live_bytes for each in record.memory) + fixed,
        "output_bytes": sum(max(each.requested_bytes, each.allocated_bytes) for each in described),
        "has_memory": record.HasField("memory_stats") or any(map(says_sizes, record.memory)),
    }


def says_sizes(used: Any) -> bool:
    sizes = used.total_bytes, used.peak_bytes, used.live_bytes, used.allocator_bytes_in_use
    return any(sizes) or len(used.allocation_records) > 0
