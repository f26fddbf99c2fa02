"""A history that begins at some commit is a part of the whole one: the same levels, steps and figures."""

from __future__ import annotations

from typing import Any

from indexed import commits_of, index_of, index_row, model_of

from tfprof_report.history.build_history import Wanted, build_model
from tfprof_report.history.history_data import ModelHistory
from tfprof_report.report.store.index import IndexedRows
from tfprof_report.report.store.place import open_place

VALUES = [5, 5, 6, 6, 6, 7, 7, 7, 7, 7]


def of_params(values: list[Any], first: int = 0, since: str = "") -> ModelHistory:
    return model_of({"params": values}, first=first, since=since)


def steps_of(model: ModelHistory) -> list[tuple[str, int]]:
    return [(model.rows["commit"][step.row].as_py(), step.delta) for step in model.lines[0].moves.steps]


def test_the_report_before_the_start_is_what_the_first_change_is_compared_with() -> None:
    model = of_params(VALUES, 4, "since c4")
    assert model.rows["commit"].to_pylist() == ["c4", "c5", "c6", "c7", "c8", "c9"]
    assert steps_of(model) == [("c5", 1)]
    assert [(change.before, change.row, change.commits) for change in model.changes] == [(0, 1, 1)]
    assert [(level.first, level.last, level.value) for level in model.lines[0].moves.levels] == [(0, 0, 6), (1, 5, 7)]
    assert model.before == 4


def test_where_the_start_has_no_report_the_last_one_before_it_is_shown() -> None:
    commits = commits_of(10)
    model = model_of({"params": VALUES[:3]}, commits=commits, first=7, since="since c7")
    assert model.rows["commit"].to_pylist() == ["c2"]


def test_where_the_figure_is_not_known_at_the_start_an_earlier_report_is_compared() -> None:
    model = of_params([5, 5, None, None, 6, 6], 3, "since c3")
    assert model.rows["commit"].to_pylist() == ["c1", "c2", "c3", "c4", "c5"]
    assert steps_of(model) == [("c4", 1)]


def test_figures_over_time_are_those_of_the_whole_history() -> None:
    whole, part = (of_params(VALUES, first, since).lines[0].over_time for first, since in ((0, ""), (8, "since c8")))
    assert (part.now.value, part.week.value, part.best.value) == (7, 6, 5)
    assert (whole.now.row, whole.week.row, whole.best.row) == (9, 2, 0)
    assert (part.now.row, part.week.row, part.best.row) == (1, None, None)


def test_the_stretch_that_was_asked_for_comes_first_and_once() -> None:
    assert [each.words for each in of_params(VALUES).stretches] == ["in the last 7 days", "since the first report"]
    assert [each.words for each in of_params(VALUES, 1, "since c1").stretches] == ["since c1", "in the last 7 days"]
    week = of_params(VALUES, 2, "in the last 7 days")
    assert [(each.words, each.start) for each in week.stretches] == [("in the last 7 days", 0)]
    assert [net.delta for net in week.stretches[0].nets] == [1]


def test_a_noisy_figure_has_the_levels_that_all_reports_show() -> None:
    values = [100.0 + number % 3 for number in range(30)] + [120.0 + number % 3 for number in range(12)]
    model = model_of({"wall_micros": values}, first=28, since="in the last 2 weeks")
    assert steps_of(model) == [("c30", 20.0)]
    assert len(model.lines[0].moves.levels) == 2


def test_after_the_newest_commit_there_is_nothing() -> None:
    model = of_params(VALUES, 10, "since 2030-01-01")
    assert (model.rows.num_rows, model.lines, model.changes, model.stretches) == (0, (), (), ())


def test_days_without_reports_before_them_are_named_after_the_last_report() -> None:
    commits = commits_of(301)
    rows = [index_row(f"c{number}", params=value) for number, value in ((0, 1), (50, 2), (51, 2), (300, 3))]
    indexed = IndexedRows(rows=index_of(rows), held=frozenset(), left_out=())
    found = build_model("m", indexed, open_place("nowhere"), Wanted(commits=commits, explained=0))
    assert [(stretch.words, stretch.start) for stretch in found.stretches] == [
        ("since 2024-02-21, the last report before 7 days ago", 2),
        ("since 2024-02-21, the last report before 30 days ago", 2),
        ("since the first report", 0),
    ]
