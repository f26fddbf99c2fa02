"""The data of charts for scripts: what comes out of a block is what was in the history."""

from __future__ import annotations

import json

from indexed import index_row
from made_histories import made_history
from unpacked import unpack

from tfprof_report.history.history_data import History
from tfprof_report.render.history.chart_block import chart_block, charts_meta
from tfprof_report.render.history.history_content import report_url
from tfprof_report.render.history.plotted import plotted


def small(**about: str) -> History:
    rows = [
        index_row("c0", params=2**53 + 1, wall_micros=10.5),
        index_row("c1", params=2**53 + 2, wall_micros=11.5, outcome="failed"),
        index_row("c3", params_at_least=150, params_unknown=1, wall_micros=9.0),
        index_row("c4", params=7, params_at_least=7, wall_micros=10.0, counting="b"),
    ]
    return made_history({"m": rows}, count=6, gates=["params <= 10"], tags={"c3": ("v1\u202e",)}, **about)


def test_a_block_has_exact_figures_and_lower_bounds_where_there_are_none() -> None:
    history = small()
    (model,) = history.models
    plots = tuple(plotted(model, line) for line in model.lines)
    header, columns = unpack(chart_block(history, model, plots))
    assert columns["commits"] == ["c0", "c1", "c3", "c4"]
    assert columns["number"] == [0, 1, 3, 4]
    assert columns["day"] == [19723, 19724, 19726, 19727]  # 2024-01-01 is day 19,723 since 1970
    assert columns["failed"] == [0, 1, 0, 0]
    assert columns["value_params"] == [2**53 + 1, 2**53 + 2, None, 7]
    assert columns["least_params"] == [None, None, 150, None]
    assert columns["value_wall_micros"] == [10.5, 11.5, 9.0, 10.0]
    assert (header["rows"], header["breaks"], header["tags"]) == (4, [3], [[2, ["v1\\u202e"]]])
    params, wall = header["lines"]
    assert (params["stem"], params["label"], params["unit"]) == ("params", "Parameters", "count")
    assert [row for row, _ in params["steps"]] == [1]
    assert params["cuts"] == [[1, 3]]
    assert params["budgets"] == [[10.0, "params <= 10", 0]]
    assert params["levels"] == []
    assert [level[:2] for level in wall["levels"]] == [[0, 2], [3, 3]]
    assert wall["cuts"] == [[1, 2], [2, 3]]


def test_the_address_of_a_report_is_prefix_commit_and_rest() -> None:
    for history in (small(), small(store_url="https://example.com/s/"), small(store_url="")):
        (model,) = history.models
        header, columns = unpack(chart_block(history, model, (plotted(model, model.lines[0]),)))
        joined = [
            rest and header["prefix"] + commit + rest
            for commit, rest in zip(columns["commits"], columns["reports"], strict=True)
        ]
        assert joined == [report_url(history, model, row) for row in range(4)]
        assert all(joined) == bool(history.store_url)


def test_the_same_history_gives_the_same_block_and_ten_thousand_reports_are_small() -> None:
    rows = [index_row(f"c{number}", params=10**9 + number // 50) for number in range(10_000)]
    history = made_history({"m": rows}, count=10_000)
    (model,) = history.models
    plots = tuple(plotted(model, line) for line in model.lines)
    block = chart_block(history, model, plots)
    assert block == chart_block(history, model, plots)
    assert len(block) < 200_000


def test_what_charts_share_cannot_end_its_script_element() -> None:
    meta = charts_meta(small())
    assert "<" not in meta
    assert set(json.loads(meta)) == {"scales", "colours", "far", "commit_url"}
