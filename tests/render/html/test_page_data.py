from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from command import write_model
from messages import entry, graph, node, op_log
from report_builders import make_comparison_report, make_report, make_view
from repository import DATA
from unpacked import unpack

from tfprof_report.compare.gates.policy import Policy
from tfprof_report.ingest.paths import find_in_folder
from tfprof_report.job import Job, run
from tfprof_report.model.measurement import Measurement
from tfprof_report.options import Options
from tfprof_report.render.html.page_data import page_meta, view_block
from tfprof_report.render.tables.cells import visible
from tfprof_report.report.report import Report
from tfprof_report.schema.metrics import METRICS, SUMMED_STEMS

RESNET = DATA / "resnet"
HOSTILE = "<!--<script><b>\u202e\n\x00|`"


@pytest.fixture(scope="module")
def resnet() -> Report:
    head, base = (find_in_folder(str(RESNET / side)) for side in ("head", "base"))
    return run(Job(head=head, base=base, policy=Policy(), measurement=Measurement(options=Options())), lambda _: None)


def shown(values: list[Any]) -> list[Any]:
    """Return figures with None in place of NaN."""
    return [None if value is None or math.isnan(value) else value for value in values]


@pytest.mark.parametrize("name", ["scope", "graph", "op", "code"])
def test_every_row_of_either_side_has_its_exact_figures(resnet: Report, name: str) -> None:
    assert resnet.comparison is not None
    header, columns = unpack(view_block(resnet, name))
    forest = resnet.comparison.forests[name]
    assert (header["rows"], header["left_out"], header["has_base"]) == (forest.num_rows, 0, True)
    for side, view in (("head", resnet.head.views[name].rows), ("base", resnet.comparison.base.views[name].rows)):
        rows = view.take(forest[f"{side}_row"].combine_chunks())
        for part in ("self", "total"):
            for stem in METRICS:
                column = f"{side}_{part}_{stem}"
                expected = shown(rows[f"{part}_{stem}"].to_pylist())
                assert columns.get(column, [None] * len(expected)) == expected, column
        for stem in SUMMED_STEMS:
            lacks = [count or 0 for count in rows[f"unknown_{stem}"].to_pylist()]
            assert columns.get(f"{side}_unknown_{stem}", [0] * len(lacks)) == lacks
    own = (
        [name.rpartition(" > ")[2] for name in forest["name"].to_pylist()]
        if name == "code"
        else forest["leaf"].to_pylist()
    )
    assert [columns["leaves"][code] for code in columns["leaf"]] == own
    assert [header["statuses"][code] for code in columns["status"]] == forest["status"].to_pylist()
    assert [None if row < 0 else row for row in columns["parent"]] == forest["parent"].to_pylist()
    assert columns["depth"] == forest["depth"].to_pylist()
    assert columns["size"] == forest["subtree_size"].to_pylist()


def test_rows_whose_totals_cannot_be_compared_are_marked(resnet: Report) -> None:
    assert resnet.comparison is not None
    _, columns = unpack(view_block(resnet, "scope"))
    forest, diff = resnet.comparison.forests["scope"], resnet.comparison.views["scope"]
    # gradients/AddN_3 has negative bytes on both sides, in the same scope
    apart = {
        name for name, is_apart in zip(forest["name"].to_pylist(), columns["apart_bytes"], strict=True) if is_apart
    }
    assert apart == {"gradients", "gradients/AddN_3"}
    states = dict(zip(diff["name"].to_pylist(), diff["state_bytes"].to_pylist(), strict=True))
    assert states["gradients"] == "not comparable"
    assert "apart_params" not in columns


def test_rows_of_nodes_have_their_op_those_of_removed_nodes_base_s(resnet: Report) -> None:
    assert resnet.comparison is not None
    nodes = resnet.comparison.nodes
    ops = [
        head or base for head, base in zip(*(nodes[f"{side}_op"].to_pylist() for side in ("head", "base")), strict=True)
    ]
    expected = dict(zip(nodes["name"].to_pylist(), ops, strict=True))
    _, columns = unpack(view_block(resnet, "scope"))
    names = resnet.comparison.forests["scope"]["name"].to_pylist()
    found = {name: columns["ops"][op] for name, op in zip(names, columns["op"], strict=True) if op >= 0}
    assert found == {name: op for name, op in expected.items() if op is not None}


def test_the_same_report_gives_the_same_text(resnet: Report) -> None:
    assert view_block(resnet, "scope") == view_block(resnet, "scope")


def test_a_page_of_the_demo_carries_less_than_half_a_megabyte(resnet: Report) -> None:
    assert sum(len(view_block(resnet, name)) for name in resnet.head.views) < 400_000


@pytest.mark.thorough
def test_a_hundred_thousand_rows_of_figures_without_a_pattern_fit() -> None:
    count, random = 100_000, np.random.default_rng(7)
    figures = {stem: random.integers(0, 10_000, count) for stem in ("float_ops", "params", "bytes", "micros")}
    view = make_view("op", [f"op_{row}" for row in range(count)], {stem: v.tolist() for stem, v in figures.items()})
    block = view_block(make_report(views={"op": view}), "op")
    assert len(block) < 2_500_000
    assert unpack(block)[1]["head_self_float_ops"] == figures["float_ops"].tolist()


def test_a_report_of_one_side_has_no_base_and_no_status() -> None:
    header, columns = unpack(view_block(make_report(), "scope"))
    assert header["has_base"] is False
    assert not [name for name in columns if name.startswith("base_") or name == "status"]


def test_figures_beyond_what_a_browser_s_number_holds_are_exact() -> None:
    values = [2**53 + 1, 3, None]
    view = make_view("op", ["a", "b", "c"], {"params": values})
    _, columns = unpack(view_block(make_report(views={"op": view}), "op"))
    assert columns["head_total_params"] == values


def test_of_too_many_rows_the_upper_levels_are_there_with_their_totals() -> None:
    names, depths = ["a", "a/b", "a/b/c", "d", "d/e"], [1, 2, 3, 1, 2]
    view = make_view("scope", names, {"params": [9, 5, 4, 2, 1]}, depths=depths)
    header, columns = unpack(view_block(make_report(views={"scope": view}), "scope", max_rows=3))
    assert header["left_out"] == 2
    assert [columns["leaves"][code] for code in columns["leaf"]] == ["a", "b", "d"]
    assert columns["head_total_params"] == [9, 5, 2]
    assert (columns["parent"], columns["size"]) == ([-1, 0, -1], [2, 1, 1])


def test_hostile_names_are_text_as_it_is_shown_and_cannot_end_their_element() -> None:
    view = make_view("op", [HOSTILE], {"params": [1]})
    block = view_block(make_report(views={"op": view}), "op")
    assert "<" not in block
    assert unpack(block)[1]["leaves"] == [visible(HOSTILE)]


def test_metadata_for_scripts_is_json_without_tags() -> None:
    text = page_meta(make_comparison_report())
    meta = json.loads(text)
    assert "<" not in text
    assert [metric["stem"] for metric in meta["metrics"]] == list(METRICS)
    assert all(metric["source"] for metric in meta["metrics"])
    assert meta["scales"]["bytes"][1] == [1024, "KiB"]
    assert meta["totals"] == {
        "head": {"params": str(2**53 + 1), "float_ops": "17630000000", "bytes": "1299227648", "micros": None},
        "base": {"float_ops": "1705", "params": "0", "micros": "12.5"},
    }
    assert meta["views"][0] == {
        "name": "scope",
        "title": "By scope",
        "parquet": "scope.parquet",
        "diff_parquet": "diff_scope.parquet",
    }


def test_a_report_without_rows_has_a_block_without_rows() -> None:
    view = make_view("op", ["a"], {"params": [1]})
    empty = replace(view, rows=view.rows.slice(0, 0), shown=view.shown.slice(0, 0), total={}, unknown={})
    header, columns = unpack(
        view_block(make_report(views={"op": empty}, nodes=pa.table({"op": pa.array([], pa.string())})), "op")
    )
    assert header["rows"] == 0
    assert columns["leaf"] == []


def test_a_lower_bound_that_cannot_be_compared_is_marked_for_scripts(tmp_path: Path) -> None:
    ops = {"s/conv": "Conv2D", "s/add": "Add", "t/add": "Add"}
    sides = []
    for word, known in (("base", list(ops)), ("head", ["s/add", "t/add"])):
        log = op_log(*(entry(name, float_ops=5) for name in known))
        model = write_model(tmp_path / word, graph(*(node(name, op) for name, op in ops.items())), log=log)
        sides.append(find_in_folder(str(model)))
    job = Job(head=sides[1], base=sides[0], policy=Policy(), measurement=Measurement(options=Options()))
    _, columns = unpack(view_block(run(job, lambda _: None), "scope"))
    assert [columns["leaves"][leaf] for leaf in columns["leaf"]] == ["s", "add", "conv", "t", "add"]
    assert columns["base_total_float_ops"] == [10, 5, 5, 5, 5]
    assert columns["head_total_float_ops"] == [5, 5, None, 5, 5]
    assert columns["head_unknown_float_ops"] == [1, 0, 1, 0, 0]
    assert columns["apart_float_ops"] == [1, 0, 1, 0, 0]  # s is at least 5, which is no loss of 5
    assert "base_unknown_float_ops" not in columns
