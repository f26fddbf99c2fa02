from __future__ import annotations

import dataclasses

from rated import CPU, product, rated, took, typed
from report_builders import make_report

from tfprof_report.compare.bounds.changed_bounds import compare_bounds
from tfprof_report.compare.bounds.speeds import DeviceSpeed
from tfprof_report.compare.compare import compare
from tfprof_report.compare.side import Side
from tfprof_report.render.tables.bounds_tables import BOUNDS_TEXT, NO_SPEEDS, bounds_tables
from tfprof_report.render.tables.cells import Table
from tfprof_report.report.report import Report

SPEED = DeviceSpeed(device="cpu:0", float_ops_per_second={"default": 1e12}, bytes_per_second=100e9)


def model(inner: int, *nanos: int) -> Side:
    nodes = [
        typed("fc/w", "VariableV2", shape=[inner, 50]),
        typed("fc/read", "Identity", "fc/w", shape=[inner, 50]),
        typed("fc/x", "Placeholder", shape=[100, inner]),
        product("fc/y", "fc/x", "fc/read", shape=[100, 50]),
        typed("fc/odd", "MyOp", "fc/y", shape=[7]),
    ]
    return rated(nodes, *({CPU: [took("fc/y", each), took("fc/odd", 1000)]} for each in nanos))


def report(head: Side, base: Side | None = None, *speeds: DeviceSpeed) -> Report:
    comparison = compare(base, head) if base else None
    bounds = compare_bounds(head, comparison, speeds)
    return dataclasses.replace(make_report(), head=head, comparison=comparison, bounds=bounds)


def texts(table: Table) -> list[tuple[str, ...]]:
    return [tuple(cell.text for cell in row) for row in table.rows]


def test_layers_ops_and_steps_with_their_rates() -> None:
    tables, text = bounds_tables(report(model(200, 10_000), None, SPEED), 20)
    assert text == (BOUNDS_TEXT,)
    layers, ops, steps = tables
    assert [column.label for column in layers.columns] == [
        "Layer", "Time", "FLOPs", "FLOP/s", "Bytes", "FLOP/byte", "Share of peak", "Bound",
    ]  # fmt: skip
    # 140 kB and 20,028 B of the op without a rule
    assert texts(layers) == [
        (
            "fc",
            "11 us",
            "at least 2.00 M",
            "at least 181.82 G",
            "156.28 KiB",
            "at least 12.50",
            "at least 18.18 %",
            "arithmetic",
        )
    ]
    assert texts(ops) == [
        ("fc/y", "10 us", "2.00 M", "200.00 G", "136.72 KiB", "14.29", "20.00 %", "arithmetic"),
        ("fc/odd", "1 us", "unknown", "unknown", "19.56 KiB", "unknown", "unknown", "unknown"),
    ]
    assert texts(steps)[0][:2] == ("0", "10 us")
    assert not {"Device"} & {column.label for table in tables for column in table.columns}


def test_flops_per_byte_of_a_layer_without_all_bytes_are_no_bound() -> None:
    nodes = [
        typed("fc/x", "Placeholder", shape=[100, 200]),
        typed("fc/w", "VariableV2", shape=[200, 50]),
        product("fc/y", "fc/x", "fc/w", shape=[100, 50]),
        typed("fc/open", "MyOp", "fc/y", shape=[-1]),
    ]
    layers, *_ = bounds_tables(
        report(rated(nodes, {CPU: [took("fc/y", 10_000), took("fc/open", 1000)]}), None, SPEED), 9
    )[0]
    cell = layers.rows[0][5]
    assert (cell.text, cell.tone, cell.exact) == ("14.29", "inconclusive", "of what is known; 1 node without bytes")


def test_each_of_several_devices_is_named_behind_its_figures() -> None:
    other = CPU.replace("task:0", "task:1")
    nodes = [typed("x", "Placeholder", shape=[9, 9]), typed("y", "Relu", "x", shape=[9, 9])]
    tables, _ = bounds_tables(report(rated(nodes, {CPU: [took("y", 5000)], other: [took("y", 4000)]})), 9)
    assert [table.columns[-1].label for table in tables] == ["Device"] * 3
    assert [row[-1].text for row in tables[0].rows] == [CPU, other]


def test_without_peaks_the_section_says_how_to_name_them() -> None:
    tables, text = bounds_tables(report(model(200, 10_000)), 20)
    assert text[-1] == NO_SPEEDS
    assert texts(tables[0])[0][-2:] == ("unknown", "unknown")


def test_what_became_bound_by_something_else_comes_first() -> None:
    tables, text = bounds_tables(report(model(20, 8000), model(200, 10_000), SPEED), 1)
    assert text[0] == "1 layer became memory-bound."
    assert texts(tables[0]) == [
        (
            "fc",
            "became memory-bound, was arithmetic-bound",
            "11 us → 9 us",
            "181.82 G → 22.22 G",
            "12.50 → 3.84",
            "18.18 % → 3.56 %",
        )
    ]
    assert tables[0].left_out == "Shows 1 of 2 layers and ops; 1 is left out (bounds.parquet)."


def test_without_times_or_flops_there_are_no_tables() -> None:
    assert bounds_tables(report(model(200)), 20) == ((), ())
    assert bounds_tables(make_report(), 20) == ((), ())
