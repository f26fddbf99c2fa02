"""Graphs that lack nodes of a run: a cut graph, or one partition, with the run metadata of the whole."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from graph_nodes import const, op
from messages import call, decoded, function, graph, inputs_of, node, ran, run_meta
from queries import CPU
from repository import DATA

from tfprof_report.ingest.descriptors import message_class
from tfprof_report.ingest.graph_def import read_graph
from tfprof_report.ingest.origin import Origin
from tfprof_report.ingest.read import Inputs
from tfprof_report.ingest.sniff import Kind
from tfprof_report.model.build_table import build_node_table
from tfprof_report.model.execution_counts import FunctionUse
from tfprof_report.model.flops.counting import BY_ALL_RULES
from tfprof_report.model.node_table import NodeTable
from tfprof_report.model.parts.leave_out import LeaveOut, split_table
from tfprof_report.model.parts.twice_built import find_copies
from tfprof_report.model.shapes.batch import ASSUMED
from tfprof_report.model.shapes.resolve import ShapeUse
from tfprof_report.options import REPORT_OPTIONS
from tfprof_report.report.measure import measure
from tfprof_report.schema.metrics import RUN_STEMS
from tfprof_report.semantics import CORRECTED
from tfprof_report.views.advice.checkers import Checker, advise
from tfprof_report.views.build_view import build_layout, build_view, views_of
from tfprof_report.views.idle_patterns import find_idle
from tfprof_report.vocabulary import Loops

RUN_FIGURES = tuple(stem for stem in RUN_STEMS if stem != "run_float_ops")
STATIC_FIGURES = ("float_ops", "macs", "multiplicity", "params")


def table_as_in_reports(inputs: Inputs, loops: Loops) -> NodeTable:
    return build_node_table(
        inputs,
        BY_ALL_RULES.use(CORRECTED),
        CORRECTED,
        FunctionUse(loops=loops),
        shapes=ShapeUse.RULES,
        batch=ASSUMED,
    )


def go_through_report(table: NodeTable) -> None:
    table, _ = split_table(table, LeaveOut())
    layouts = {name: build_layout(table, name, CORRECTED) for name in views_of(table)}
    views = {
        name: build_view(table, name, REPORT_OPTIONS, CORRECTED, layout=layout) for name, layout in layouts.items()
    }
    advise(table, Checker, CORRECTED, layouts=layouts)
    measure(table, views, Origin(inputs=()))
    list(find_copies(table))
    list(find_idle(table, layouts.values(), REPORT_OPTIONS, CORRECTED))


def without(model: Any, rows: slice) -> Any:
    cut = message_class("tensorflow.GraphDef").FromString(model.SerializeToString())
    del cut.node[rows]
    return cut


def figures(table: NodeTable, stem: str) -> dict[str, Any]:
    return dict(zip(table.column("name").to_pylist(), table.column(stem).to_pylist(), strict=True))


def check_cut(model: Any, run: Any, cuts: Sequence[slice], loops: Loops) -> None:
    """Check that figures of a run stay, and those of the graph stay or become unknown if one node is missing.

    More may be missing than independent nodes: a loop without its Enter nodes is none.
    """
    whole = inputs_of(model, [(0, run)])
    before = table_as_in_reports(whole, loops)
    for rows in cuts:
        lost = {each.name for each in model.node[rows]}
        table = table_as_in_reports(replace(whole, graph=read_graph(decoded(without(model, rows), Kind.GRAPH))), loops)
        go_through_report(table)
        for stem in (*RUN_FIGURES, *(STATIC_FIGURES if len(lost) == 1 else ())):
            expected = figures(before, stem)
            allowed = (None,) if stem in STATIC_FIGURES else ()
            wrong = {
                name: (value, expected[name])
                for name, value in figures(table, stem).items()
                if name in expected and name not in lost and value not in (*allowed, expected[name])
            }
            assert not wrong, (stem, lost)


def counting_loop() -> Any:
    """Return ``while i < 4: i += 1; x = x @ x``; the start, the limit and x are nodes of the graph."""
    made = graph(
        op("p", "Placeholder", shape=[4, 4]),
        op("start", "Identity", "zero"),
        op("limit", "Identity", "four"),
        const("zero", 0),
        const("four", 4),
        call("w", "While", "start", "limit", "p", cond="c", body="b"),
        node("out", "Identity", "w:2"),
    )
    made.library.function.extend(
        [
            function("c", ["i", "n", "x"], {"r": "lt:z:0"}, node("lt", "Less", "i", "n")),
            function(
                "b",
                ["i", "n", "x"],
                {"i1": "add:z:0", "n1": "n", "x1": "mm:product:0"},
                const("one", 1),
                node("add", "AddV2", "i", "one:output:0"),
                node("mm", "MatMul", "x", "x"),
            ),
        ]
    )
    return made


@pytest.mark.parametrize("loops", Loops)
def test_each_node_around_a_while_loop_may_be_missing_from_the_graph(loops: Loops) -> None:
    model = counting_loop()
    names = [each.name for each in model.node]
    run = run_meta({CPU: [ran(name, micros=3, temp=8) for name in (*names, "w/body/_1/mm", "w/cond/_2/lt")]})
    check_cut(model, run, [slice(row, row + 1) for row in range(len(names))], loops)


def read(file: str, kind: str) -> Any:
    return message_class(kind).FromString(gzip.decompress((DATA / file).read_bytes()))


@pytest.mark.parametrize("name", ["chains_v1", "chains_v2", "gradients_v1", "gradients_v2", "mixed"])
def test_nodes_and_halves_of_recorded_models_may_be_missing(name: str) -> None:
    model = read(f"functions/{name}.pb.gz", "tensorflow.GraphDef")
    run = read(f"functions/{name}.run.pb.gz", "tensorflow.RunMetadata")
    count = len(model.node)
    samples = [slice(row, row + 1) for row in range(3, count, count // 2)]
    check_cut(model, run, [*samples, slice(0, count // 2), slice(count // 2, count)], Loops.TRIP_COUNT)
