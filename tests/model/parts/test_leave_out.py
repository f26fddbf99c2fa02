"""Splitting a node table: every node is in one part, with the rows that refer to it; outputs and what feeds them."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from messages import call, function, graph, inputs_of, models, node, ran, run_meta, with_library

from tfprof_report.errors import OptionError
from tfprof_report.ingest.saved_model import Entry
from tfprof_report.model.build_table import build_node_table
from tfprof_report.model.execution_counts import INLINED
from tfprof_report.model.node_table import LaterParts, NodeTable
from tfprof_report.model.parts.leave_out import (
    NOT_FEEDING,
    NOT_IN_SIGNATURE,
    LeaveOut,
    MissingOutputError,
    counted_signature,
    explain_all,
    keep_nodes,
    parse_leave_out,
    split_table,
)
from tfprof_report.model.parts.parts import Part
from tfprof_report.options import REPORT_OPTIONS
from tfprof_report.semantics import CORRECTED, TFPROF
from tfprof_report.views.build_view import build_layout, build_view, views_of


def names(table: NodeTable) -> list[str]:
    found: list[str] = table.column("name").to_pylist()
    return found


def of_rows(table: NodeTable, rows: Any) -> list[Any]:
    """Return the rows of a table that refers to nodes, with names in place of row numbers."""
    own = names(table)
    return [{**row, "node": own[row["node"]]} for row in rows.to_pylist()]


def edges_of(table: NodeTable) -> list[Any]:
    own = names(table)
    rows = of_rows(table, table.edges)
    return [{**row, "source": None if row["source"] is None else own[row["source"]]} for row in rows]


def allocations_of(table: NodeTable) -> list[Any]:
    """Return the allocations with the record that each belongs to."""
    records = of_rows(table, table.records)
    return [{**row, "record": records[row["record"]]} for row in of_rows(table, table.allocations)]


def stacks_of(table: NodeTable) -> list[Any]:
    frames = table.traces.frames["name"].to_pylist()
    spans = zip(table.traces.offsets[:-1], table.traces.offsets[1:], strict=True)
    return [[frames[at] for at in table.traces.frame[start:end]] for start, end in spans]


@settings(max_examples=examples(20), deadline=None)
@given(model=models(), data=st.data())
def test_what_is_kept_has_all_that_it_had(model: Any, data: st.DataObject) -> None:
    whole = build_node_table(inputs_of(*model))
    count = len(whole.nodes)
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=count, max_size=count)), dtype=bool)
    part = keep_nodes(whole, mask)
    kept = {name for name, is_kept in zip(names(whole), mask, strict=True) if is_kept}
    assert names(part) == [name for name in names(whole) if name in kept]
    for column in whole.nodes:
        assert part.column(column).equals(whole.column(column).filter(mask))
    for hanging in ("steps", "records"):
        before = of_rows(whole, getattr(whole, hanging))
        assert of_rows(part, getattr(part, hanging)) == [row for row in before if row["node"] in kept]
    assert allocations_of(part) == [row for row in allocations_of(whole) if row["node"] in kept]
    assert edges_of(part) == [
        {**row, "source": row["source"] if row["source"] in kept else None}
        for row in edges_of(whole)
        if row["node"] in kept
    ]
    for column in ("canonical_device", "data_format", "log_types"):
        before = getattr(whole, column).to_pylist()
        assert getattr(part, column).to_pylist() == [value for value, keep in zip(before, mask, strict=True) if keep]
    holders = dict(zip(names(part), (names(part)[row] for row in part.holder), strict=True))
    assert all(holders[name] in (name, names(whole)[whole.holder[names(whole).index(name)]]) for name in kept)
    assert stacks_of(part) == [stack for stack, keep in zip(stacks_of(whole), mask, strict=True) if keep]


def test_every_field_of_a_table_is_thought_of() -> None:
    per_node = {
        "columns",
        "own_steps",
        "records",
        "allocations",
        "edges",
        "canonical_device",
        "data_format",
        "log_types",
    }
    per_node |= {"calls", "holder"}
    of_inputs = {"step_numbers", "walls", "misses_stream", "unmatched", "found", "checkpoint", "entry"}
    assert {field.name for field in dataclasses.fields(NodeTable)} == per_node | of_inputs | {"later"}
    later_of_inputs = {"devices", "memory", "buffers", "activity", "without_figure"}
    assert {field.name for field in dataclasses.fields(LaterParts)} == {"steps", "traces"} | later_of_inputs


@settings(max_examples=examples(20), deadline=None)
@given(model=models(), parts=st.sets(st.sampled_from([*Part])), data=st.data())
def test_every_node_is_in_exactly_one_table_and_views_add_up(model: Any, parts: set[Part], data: st.DataObject) -> None:
    whole = build_node_table(inputs_of(*model))
    known = names(whole)
    outputs = data.draw(st.lists(st.sampled_from(known), max_size=2)) if known else []
    table, gone = split_table(whole, LeaveOut(parts=tuple(parts), outputs=tuple(outputs)))
    assert sorted([*names(table), *(name for part in gone.values() for name in names(part))]) == sorted(known)
    assert list(gone) == [*(str(part) for part in parts), *([NOT_FEEDING] if outputs else [])]
    for part in (table, *gone.values()):
        for view in views_of(part):
            layout = build_layout(part, view, CORRECTED)
            shown = build_view(part, view, REPORT_OPTIONS, CORRECTED, layout=layout)
            assert (shown.total["definition_count"] or 0) == len(part.nodes)


@settings(max_examples=examples(20), deadline=None)
@given(model=models(), data=st.data())
def test_outputs_keep_what_a_walk_along_the_inputs_finds(model: Any, data: st.DataObject) -> None:
    whole = build_node_table(inputs_of(model[0]))
    if not names(whole):
        return
    output = data.draw(st.sampled_from(names(whole)))
    sources: dict[str, set[str]] = {}
    for row in edges_of(whole):
        sources.setdefault(row["node"], set()).add(row["source"])
    found, ahead = set(), {output}
    while ahead:
        found |= ahead
        ahead = {source for name in ahead for source in sources.get(name, ()) if source} - found
    first = {names(whole)[row] for row in whole.holder[[name in found for name in names(whole)]]}
    assert set(names(split_table(whole, LeaveOut(outputs=(output,)))[0])) == found | first


def kept(made: Any, *outputs: str) -> list[str]:
    return names(split_table(build_node_table(inputs_of(made), functions=INLINED), LeaveOut(outputs=outputs))[0])


def test_an_output_keeps_the_bodies_of_its_calls_and_what_these_call() -> None:
    inner = function("inner", ["a"], {"r": "deep:y:0"}, node("deep", "Relu", "a"), node("aside", "Const"))
    outer = function("outer", ["a"], {"r": "c:output:0"}, call("c", "PartitionedCall", "a", f="inner"))
    made = graph(
        node("x", "Placeholder"),
        node("z", "Placeholder"),
        call("one", "PartitionedCall", "x", f="outer"),
        call("two", "PartitionedCall", "z", f="inner"),
        node("y", "Relu", "one"),
    )
    model = with_library(made, inner, outer)
    assert kept(model, "y") == ["x", "one", "y", "one/c", "one/c/deep", "one/c/aside"]
    assert kept(model, "two") == ["z", "two", "two/deep", "two/aside"]


def test_without_outputs_the_signature_counts_with_what_it_needs_and_what_only_ran() -> None:
    made = graph(
        node("x", "Placeholder"),
        node("first", "Const"),
        node("y", "Relu", "x", "^first"),
        node("save", "SaveV2", "x"),
    )
    steps = [(0, run_meta({"/device:CPU:0": [ran("y"), ran("copied"), ran("save")]}))]
    inputs = replace(inputs_of(made, steps), entry=Entry(signature="serve", nodes=("y",)))
    whole = build_node_table(inputs, functions=INLINED)
    table, parts = split_table(whole, LeaveOut())
    assert (names(table), {name: names(part) for name, part in parts.items()}) == (
        ["x", "first", "y", "copied"],
        {NOT_IN_SIGNATURE: ["save"]},
    )
    assert counted_signature(whole, LeaveOut()) == "serve"
    for outputs, expected in (("all",), names(whole)), (("x",), ["x"]):
        leave_out = LeaveOut(outputs=outputs)
        assert names(split_table(whole, leave_out)[0]) == expected
        assert counted_signature(whole, leave_out) is None
    left_first = split_table(whole, parse_leave_out(["savers"]))[1]
    assert {name: names(part) for name, part in left_first.items()} == {"savers": ["save"], NOT_IN_SIGNATURE: []}


def test_the_native_tool_knows_no_signature() -> None:
    inputs = replace(inputs_of(graph(node("x", "A"), node("y", "B"))), entry=Entry(signature="serve", nodes=("y",)))
    table = build_node_table(inputs, semantics=TFPROF)
    assert (names(split_table(table, LeaveOut())[0]), explain_all(table, LeaveOut())) == (["x", "y"], ())


def test_a_node_in_a_body_may_be_an_output() -> None:
    body = function("f", ["a"], {"r": "q:y:0"}, node("p", "Relu", "a"), node("q", "Relu", "p:activations:0"))
    made = with_library(graph(node("x", "Placeholder"), call("c", "PartitionedCall", "x", f="f")), body)
    assert kept(made, "c/p") == ["x", "c/p"]


def test_a_shared_variable_counts_though_its_first_node_does_not_feed_the_output() -> None:
    made = graph(
        node("v", "VarHandleOp", shape=[3], shared_name="shared"),
        node("again", "VarHandleOp", shape=[3], shared_name="shared"),
        node("read", "ReadVariableOp", "again"),
        node("other", "VarHandleOp", shape=[3], shared_name="other"),
    )
    table, _ = split_table(build_node_table(inputs_of(made)), LeaveOut(outputs=("read",)))
    assert dict(zip(names(table), table.column("params").to_pylist(), strict=True)) == {"v": 3, "again": 0, "read": 0}


def test_control_inputs_feed_and_an_output_may_be_written_as_a_tensor() -> None:
    made = graph(node("a", "Const"), node("b", "Split", "^a"), node("c", "Relu", "b:1"), node("d", "Relu"))
    assert kept(made, "b:1") == ["a", "b"]
    assert kept(made, "c", "d:0") == ["a", "b", "c", "d"]


def test_a_name_with_a_colon_is_found_as_it_is() -> None:
    assert kept(graph(node("a:0", "Const"), node("a", "Const")), "a:0") == ["a:0"]


@pytest.mark.parametrize(
    ("output", "advice"),
    [
        ("logit", "did you mean head/logits?"),
        ("head/logitz:0", "did you mean head/logits or head/loss?"),
        ("nothing alike", "it may be head/loss"),
        ("", "it may be head/loss"),
    ],
)
def test_a_wrong_output_names_what_may_be_meant(output: str, advice: str) -> None:
    table = build_node_table(
        inputs_of(
            graph(
                node("head/logits", "Relu"),
                node("head/loss", "Mean", "head/logits"),
                node("v", "VariableV2"),
                node("v/Assign", "Assign", "v", "v/initial"),
                node("v/initial", "Const"),
            )
        )
    )
    with pytest.raises(MissingOutputError) as caught:
        split_table(table, LeaveOut(outputs=(output,)))
    assert str(caught.value) == f'--outputs: no node is called "{output}"; {advice}'


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (["optimizer,savers", "savers"], (Part.SAVERS, Part.OPTIMIZER)),
        (["training"], (Part.GRADIENTS, Part.OPTIMIZER)),
        (["all", "savers"], tuple(Part)),
        ([], ()),
        ([""], ()),
    ],
)
def test_words_may_be_lists_and_groups(words: Sequence[str], parts: tuple[Part, ...]) -> None:
    assert parse_leave_out(words).parts == parts


def test_an_unknown_word_has_a_hint() -> None:
    with pytest.raises(OptionError) as caught:
        parse_leave_out(["gradient"])
    assert str(caught.value) == '--leave-out: "gradient" is not known; did you mean gradients?'
