from __future__ import annotations

import dataclasses
from typing import Any

import pytest
import reference
from command import CPU
from examples import examples
from hypothesis import example, given, settings
from hypothesis import strategies as st
from messages import entry, graph, inputs_of, models, node, op_log, ran, run_meta
from option_draws import options, pattern_lists
from queries import table_of, totals_of, view_of

from tfprof_report.model.build_table import build_node_table
from tfprof_report.model.flops.evaluate import capable_nodes
from tfprof_report.model.node_table import NodeTable
from tfprof_report.options import Options
from tfprof_report.schema.metrics import METRICS, NANOS, NANOS_PER_MICRO
from tfprof_report.semantics import CORRECTED
from tfprof_report.views.build_view import build_view

VIEWS = ("scope", "op", "graph", "code")


def expected_total(table: NodeTable, counted: list[bool], stem: str) -> float | None:
    """Return the sum over the counted nodes: exact integers, divided by the number of steps if it is a mean.

    The sum over no nodes is 0, unless the figure is unknown for all nodes.
    """
    if not counted or stem == "definition_count":
        return sum(counted)
    if not METRICS[stem].is_mean:
        return total_of(table.column(stem).to_pylist(), counted, could(table, stem))
    per_node: dict[int, int | None] = dict.fromkeys(range(len(counted)), 0)
    column = "run_count" if stem == "run_float_ops" else NANOS.get(stem, stem)
    for row in table.steps.to_pylist():
        before = per_node[row["node"]]
        per_node[row["node"]] = None if before is None or row[column] is None else before + row[column]
    replaced = [reason is not None for reason in table.column("run_count_reason").to_pylist()]  # it may have run
    values = [None if gone and column == "run_count" else per_node[row] for row, gone in enumerate(replaced)]
    if stem == "run_float_ops":
        static = table.column("float_ops").to_pylist()
        values = [None if ops is None or runs is None else ops * runs for ops, runs in zip(static, values, strict=True)]
    if not table.has_run_meta:
        return None if any(each and picked for each, picked in zip(could(table, stem), counted, strict=True)) else 0
    total = total_of(values, counted, could(table, stem))
    return None if total is None else total / (len(table.step_numbers) * (NANOS_PER_MICRO if stem in NANOS else 1))


def could(table: NodeTable, stem: str) -> list[bool]:
    """Return which nodes may have a figure other than 0."""
    capable: list[bool] = capable_nodes(table.columns, stem).to_pylist()
    return capable


def total_of(values: list[int | None], counted: list[bool], capable: list[bool]) -> int | None:
    those = [value for value, counts, may in zip(values, counted, capable, strict=True) if counts and may]
    known = [value for value in those if value is not None]
    return sum(known) if known or not those else None


USED = graph(node("a", "MatMul"), node("b", "MatMul", "a"), node("a:b", "MatMul"))
"""A node without a record whose result is used."""


@settings(max_examples=examples(50), deadline=None)
@given(model=models(max_nodes=6), drawn=options(), patterns=pattern_lists(usual=(".*",)), view=st.sampled_from(VIEWS))
@example(
    model=(USED, [(0, run_meta({CPU: [ran("b", micros=1)]}))], op_log(entry("a", float_ops=-1))),
    drawn=Options(),
    patterns=(".*",),
    view="scope",
)
def test_the_totals_of_a_view_are_the_sums_over_its_accounted_nodes_whatever_is_shown(
    model: Any, drawn: Options, patterns: tuple[str, ...], view: str
) -> None:
    table = build_node_table(inputs_of(*model))
    query = dataclasses.replace(drawn, account_displayed_op_only=False, account_type_regexes=patterns)
    types = [{*own, op} for own, op in zip(table.column("op_types").to_pylist(), table.ops.to_pylist(), strict=True)]
    counted = [reference.times_picked(own, patterns) > 0 for own in types]
    total = build_view(table, view, query, CORRECTED).total
    assert total == {stem: expected_total(table, counted, stem) for stem in METRICS}


@settings(max_examples=examples(50), deadline=None)
@given(model=models(max_nodes=6), drawn=options(), view=st.sampled_from(VIEWS))
def test_what_is_shown_changes_no_total_of_a_row_and_rows_are_built_twice_the_same(
    model: Any, drawn: Options, view: str
) -> None:
    table = build_node_table(inputs_of(*model))
    plain = Options(account_type_regexes=drawn.account_type_regexes, step=drawn.step)
    shown = build_view(table, view, dataclasses.replace(drawn, account_displayed_op_only=False), CORRECTED)
    everything = build_view(table, view, plain, CORRECTED)
    figures = [name for name in shown.rows.column_names if name not in ("shown", "position")]
    assert shown.rows.select(figures).equals(everything.rows.select(figures))
    assert shown.total == everything.total
    again = build_view(table, view, dataclasses.replace(drawn, account_displayed_op_only=False), CORRECTED)
    assert again.rows.equals(shown.rows)
    assert again.shown.equals(shown.shown)


@settings(max_examples=examples(50), deadline=None)
@given(model=models(max_nodes=6), drawn=options(), view=st.sampled_from(VIEWS))
def test_the_shown_rows_are_the_marked_ones_in_the_order_of_their_position(
    model: Any, drawn: Options, view: str
) -> None:
    made = build_view(build_node_table(inputs_of(*model)), view, drawn, CORRECTED)
    marked = sorted((row["position"], row["row"]) for row in made.rows.to_pylist() if row["shown"])
    assert [row for _, row in marked] == made.shown["row"].to_pylist()
    assert [position for position, _ in marked] == list(range(len(marked)))


@settings(max_examples=examples(50), deadline=None)
@given(models(max_nodes=6))
def test_a_row_of_the_scope_tree_is_its_node_and_the_rows_below_it(model: Any) -> None:
    rows = view_of(build_node_table(inputs_of(*model)), "scope").rows.to_pylist()
    for row in rows:
        children = [child["total_params"] for child in rows if child["parent"] == row["row"]]
        parts = [value for value in [row["self_params"], *children] if value is not None]
        assert (row["total_params"] or 0) == sum(parts)


def test_a_total_is_unknown_only_if_no_node_below_is_known() -> None:
    table = table_of(
        graph(
            node("a/known", "VariableV2", shape=[2, 3]),
            node("a/open", "VariableV2", shape=[-1]),
            node("b/open", "VariableV2", shape=[-1]),
        )
    )
    view = view_of(table, "scope")
    assert totals_of(view, "params") == {"a": 6, "a/known": 6, "a/open": None, "b": None, "b/open": None}
    assert view.total["params"] == 6
    unknown = dict(zip(view.rows["name"].to_pylist(), view.rows["unknown_params"].to_pylist(), strict=True))
    assert unknown == {"a": 1, "a/known": 0, "a/open": 1, "b": 1, "b/open": 1}
    assert view.unknown["params"] == 2


def test_nodes_that_can_have_no_figure_do_not_make_an_unknown_total_0() -> None:
    table = table_of(graph(node("conv/w", "Const"), node("conv/Conv2D", "Conv2D", "conv/w"), node("id/x", "Identity")))
    view = view_of(table, "scope")
    assert totals_of(view, "float_ops") == {
        "conv": None,
        "conv/w": 0,
        "conv/Conv2D": None,
        "id": 0,
        "id/x": 0,
    }
    assert (view.total["float_ops"], view.unknown["float_ops"]) == (None, 1)


def test_displayed_rows_only_makes_totals_of_what_is_shown() -> None:
    table = table_of(graph(*(node(name, "VariableV2", shape=[2]) for name in ("a", "a/b", "a/b/c", "d"))))
    view = view_of(table, "scope", account_displayed_op_only=True, hide_name_regexes=("a/b",), select=("params",))
    assert view.shown_rows().to_pydict() == {
        "row": [0, 2, 3],
        "depth": [1, 2, 1],
        "name": ["a", "a/b/c", "d"],
        "leaf": ["a", "c", "d"],
        "self_params": [2, 2, 2],
        "total_params": [4, 2, 2],
        "unknown_params": [0, 0, 0],
    }
    assert view.total["params"] == 6


@pytest.mark.parametrize("view", ["scope", "op"])
def test_a_view_of_nothing_has_no_rows_and_sums_up_to_nothing(view: str) -> None:
    made = view_of(table_of(graph()), view)
    assert (made.rows.num_rows, made.shown.num_rows) == (0, 0)
    assert set(made.total.values()) == {0}
