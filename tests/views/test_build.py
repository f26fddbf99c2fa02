"""A view as part of a report: all rows with their position, the shown ones in order, totals that add up."""

from __future__ import annotations

from typing import Any

import pyarrow.compute as pc
import pytest
from command import CPU
from examples import examples
from hypothesis import given, settings
from messages import entry, graph, inputs_of, models, node, op_log, ran, run_meta

from tfprof_report.errors import InputError
from tfprof_report.model.build_table import build_node_table
from tfprof_report.model.node_table import NodeTable
from tfprof_report.options import REPORT_OPTIONS, Options
from tfprof_report.schema.metrics import METRICS, SUMMED_STEMS
from tfprof_report.schema.tables import view_schema
from tfprof_report.semantics import CORRECTED
from tfprof_report.views.build_view import build_view, selected_stems, views_of

few = settings(max_examples=examples(60), deadline=None)


def small() -> NodeTable:
    nodes = [node("b/v", "VariableV2", shape=[3]), node("a", "MatMul"), node("b/w", "VariableV2", shape=[5])]
    trace = run_meta({CPU: [ran("a", micros=4), ran("b/v", micros=1)]})
    return build_node_table(inputs_of(graph(*nodes), [(0, trace)], op_log(entry("a", float_ops=7))))


def options(**changes: Any) -> Options:
    return Options(**{**REPORT_OPTIONS.as_dict(), "select": REPORT_OPTIONS.select, **changes})


def test_every_row_is_there_and_says_whether_and_where_it_is_shown() -> None:
    view = build_view(small(), "scope", options(order_by="params", hide_name_regexes=("b",)), CORRECTED)
    columns = ["name", "leaf", "parent", "depth", "subtree_size", "node", "shown", "position", "total_params"]
    assert [tuple(row.values()) for row in view.rows.select(columns).to_pylist()] == [
        ("a", "a", None, 1, 1, 1, True, 2, 0),
        ("b", "b", None, 1, 3, None, False, None, 8),
        ("b/v", "v", 1, 2, 1, 0, True, 1, 3),
        ("b/w", "w", 1, 2, 1, 2, True, 0, 5),
    ]
    assert view.shown_rows()["name"].to_pylist() == ["b/w", "b/v", "a"]
    assert view.shown["depth"].to_pylist() == [1, 1, 1]
    assert view.total["params"] == 8


def test_op_view_rows_are_ops_and_their_totals_their_own() -> None:
    view = build_view(small(), "op", options(order_by="params"), CORRECTED)
    assert view.shown_rows().select(["name", "self_params", "total_params"]).to_pylist() == [
        {"name": "VariableV2", "self_params": 8, "total_params": 8},
        {"name": "MatMul", "self_params": 0, "total_params": 0},
    ]
    assert view.rows["total_definition_count"].to_pylist() == [1, 2]
    assert view.total["definition_count"] == 3


def test_select_chooses_the_figures_that_are_shown_and_keeps_all_in_the_rows() -> None:
    chosen = options(select=("micros", "device", "occurrence"))
    assert selected_stems(chosen) == ("micros", "accelerator_micros", "cpu_micros", "run_count", "definition_count")
    view = build_view(small(), "scope", chosen, CORRECTED)
    assert [name for name in view.shown_rows().column_names if name.startswith("self_")] == [
        f"self_{stem}" for stem in selected_stems(chosen)
    ]
    assert [name for name in view.rows.column_names if name.startswith("total_")] == [
        f"total_{stem}" for stem in METRICS
    ]


def test_a_total_beyond_64_bits_is_an_error_that_names_the_figure() -> None:
    log = op_log(entry("a", float_ops=2**62), entry("b", float_ops=2**62))
    table = build_node_table(inputs_of(graph(node("a", "M"), node("b", "M")), [], log))
    with pytest.raises(InputError, match="the total of float_ops leaves the 64-bit range"):
        build_view(table, "scope", REPORT_OPTIONS, CORRECTED)


@given(models())
@few
def test_tops_add_up_to_the_nodes_in_every_view(model: Any) -> None:
    try:
        table = build_node_table(inputs_of(*model))
        views = {name: build_view(table, name, REPORT_OPTIONS, CORRECTED) for name in views_of(table)}
    except InputError:  # random figures may overflow int64
        return
    assert all(view.rows.schema.equals(view_schema(name)) for name, view in views.items())
    for name in ("scope", "op"):
        rows = views[name].rows
        tops = rows.filter(pc.equal(rows["depth"], 1))
        for stem in METRICS:
            total = views[name].total[stem]
            found = pc.sum(tops[f"total_{stem}"]).as_py()
            unknown = views[name].unknown.get(stem, 0)
            assert unknown == (pc.sum(tops[f"unknown_{stem}"]).as_py() or 0 if stem in SUMMED_STEMS else 0)
            if total is None:  # rows without a node that could have a figure have 0
                assert unknown
                assert not found
            else:
                assert (found or 0) == total or (METRICS[stem].is_mean and found == pytest.approx(total))
        assert sorted(rows["position"].drop_null().to_pylist()) == list(range(views[name].shown.num_rows))
