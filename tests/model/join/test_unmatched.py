"""What matches no node is counted and listed."""

from __future__ import annotations

from messages import call, entry, function, graph, inputs_of, node, op_log, ran, run_meta, used, with_library
from queries import rows_of

from tfprof_report.model.build_table import build_node_table
from tfprof_report.model.execution_counts import FunctionUse
from tfprof_report.semantics import TFPROF


def test_names_of_every_input_that_are_no_node_are_listed_with_their_records() -> None:
    model = graph(node("a", "Add", "gone:1", "gone:1", "^lost"), node("b", "Neg", "a"))
    device = "/job:w/replica:0/task:0/device:CPU:0"
    trace = run_meta({device: [ran("_SOURCE"), ran("a"), ran("_SOURCE"), ran("RecvTensor")]})
    table = build_node_table(inputs_of(model, [(0, trace)], op_log(entry("b", float_ops=1), entry("c", float_ops=2))))
    assert table.unmatched.select(["input", "name", "records"]).to_pylist() == [
        {"input": "graph", "name": "gone:1", "records": 2},
        {"input": "graph", "name": "^lost", "records": 1},
        {"input": "run_meta", "name": "_SOURCE", "records": 2},
        {"input": "run_meta", "name": "RecvTensor", "records": 1},
        {"input": "op_log", "name": "c", "records": 1},
    ]


def test_unmatched_records_and_devices_of_unknown_kind_carry_their_time_and_bytes_over_all_steps() -> None:
    model = graph(node("a", "Add"), node("b", "Neg"))
    held = [used("cpu", total=30)]
    trace = run_meta(
        {
            "/device:CPU:0": [ran("_SOURCE", micros=3, memory=held), ran("_SOURCE", micros=4), ran("a", micros=9)],
            "/device:TPU:0": [ran("a", micros=5, memory=held), ran("b", micros=6), ran("MEMCPY", micros=2)],
            "": [ran("b", start=0, micros=8)],
        }
    )
    table = build_node_table(inputs_of(model, [(0, trace), (1, trace)]))
    assert [tuple(row.values()) for row in table.unmatched.to_pylist()] == [
        ("run_meta", "_SOURCE", 4, 14_000, 60),
        ("run_meta", "MEMCPY", 2, 4_000, None),
        ("device", "/device:tpu:0", 4, 22_000, 60),
        ("device", "", 2, 0, None),
    ]
    (found,) = (each for each in table.diagnostics if each.code == "unknown_device")
    assert (found.count, found.examples) == (
        2,
        (
            "/device:tpu:0 (4 records, time 22 us, memory 60 B)",
            "a device without a name (2 records, time 0 us, memory unknown)",
        ),
    )


def test_a_model_that_fits_together_has_no_unmatched_names() -> None:
    assert build_node_table(inputs_of(graph(node("a", "Const")))).unmatched.num_rows == 0


def test_names_that_an_op_log_repeats_are_told_and_the_last_figure_other_than_0_counts() -> None:
    log = op_log(entry("a", float_ops=1, types=["t"]), entry("b"), entry("a", float_ops=2), entry("a"), entry("gone"))
    table = build_node_table(inputs_of(graph(node("a", "Const"), node("b", "Const")), op_log=log))
    [said] = [each for each in table.diagnostics if each.code == "repeated_op_log"]
    assert (said.count, said.examples) == (2, ("a", "a"))
    assert table.column("float_ops").to_pylist() == [2, None]


NAMELESS = inputs_of(
    with_library(
        graph(node("", ""), node("m", "NoOp", ""), node("", "Add"), call("c", "f", "m")),
        function("f", ["x"], {"y": "n:z:0"}, node("", "Mul"), node("n", "Neg", "x"), node("", "")),
    ),
    [(0, run_meta({"/device:CPU:0": [ran("", micros=3), ran(":k", micros=4), ran("m", micros=2)]}))],
    op_log(entry("", float_ops=4), entry("m", float_ops=8), entry("")),
)
"""Two nodes, two records, two log entries, and two nodes of a function, none of which has a name."""


def test_what_has_no_name_is_left_out_and_told_with_one_line_and_count_for_each_input() -> None:
    table = build_node_table(NAMELESS, functions=FunctionUse())
    assert table.column("name").to_pylist() == ["m", "c", "c/n"]
    assert [(row["input"], row["name"], row["records"], row["nanos"]) for row in table.unmatched.to_pylist()] == [
        ("graph", "", 1, None),
        ("run_meta", "", 2, 7000),
        ("op_log", "", 2, None),
    ]
    told = {found.code: (found.count, found.examples) for found in table.diagnostics if "nameless" in found.code}
    assert told == {
        "nameless_nodes": (4, ()),
        "nameless_records": (2, ("no name (2 records, time 7 us, memory unknown)",)),
        "nameless_op_log": (2, ()),
    }
    others = {found.code: found.count for found in table.diagnostics if "nameless" not in found.code}
    assert {"duplicate_nodes", "unmatched_op_log", "helper_records", "run_only_nodes"}.isdisjoint(others)


def test_the_native_tool_has_a_node_with_an_empty_name() -> None:
    """The text is that of the native tool for this model."""
    model = graph(node("m", "NoOp"))
    trace = run_meta({"/device:CPU:0": [ran("", start=5, micros=3), ran("m", start=5, micros=2)]})
    table = build_node_table(inputs_of(model, [(0, trace)]), semantics=TFPROF)
    assert rows_of(table, "scope", TFPROF, select=("micros",)) == [
        "_TFProfRoot (--/5us, --/0us, --/5us)",
        "   (3us/3us, 0us/0us, 3us/3us)",
        "  m (2us/2us, 0us/0us, 2us/2us)",
    ]
