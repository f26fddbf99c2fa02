"""Tables of a report as cells, before any format."""

from __future__ import annotations

import dataclasses

from report_builders import make_comparison_report, make_report, make_total_delta, make_view

from tfprof_report.model.measurement import Measurement
from tfprof_report.options import Options
from tfprof_report.render.tables.cells import Column, Table, text_cell
from tfprof_report.render.tables.report_tables import settings_table, total_deltas_table, view_table
from tfprof_report.schema.metrics import SCHEMA_VERSION


def test_options_with_special_values_are_in_words() -> None:
    report = make_report(measurement=Measurement())
    said = {name.text: value.text for name, value in settings_table(report).rows}
    assert said["max_depth"] == "no limit"
    assert said["step"] == "mean of all steps"
    narrow = make_report(measurement=Measurement(options=Options(max_depth=4, step=7)))
    said = {name.text: value.text for name, value in settings_table(narrow).rows}
    assert (said["max_depth"], said["step"], said["min_bytes"]) == ("4", "7", "0")


def test_the_settings_name_the_versions_of_schema_and_counting() -> None:
    said = {name.text: value.text for name, value in settings_table(make_report(counting_version=7)).rows}
    assert (said["Schema version"], said["Counting version"]) == (str(SCHEMA_VERSION), "7")


def test_a_table_says_how_many_rows_are_left_out_and_where_they_are() -> None:
    table = Table(caption="x", columns=(Column("a"),), rows=((text_cell("1"),),), notes=("note",))
    assert table.remarks == ("note",)
    cut = dataclasses.replace(table, total=1234, noun="nodes", file="nodes.parquet")
    assert cut.remarks == ("Shows 1 of 1,234 nodes; 1,233 are left out (nodes.parquet).", "note")
    assert dataclasses.replace(table, total=2).left_out == "Shows 1 of 2 rows; 1 is left out (summary.json)."


def test_a_row_of_code_view_does_not_repeat_its_stack() -> None:
    view = make_view("code", ["a.py:1:f", "b.py:2:g"], {"params": [1, 1]}, depths=[1, 2])
    stacks = dataclasses.replace(
        view, rows=view.rows.append_column("path", [["x/a.py:1:f", "x/a.py:1:f > x/b.py:2:g"]])
    )
    table = view_table(stacks, make_report().head.nodes, 10, stems=["params"], select=[])
    names = [(name.text, name.exact, name.depth) for name, *_ in table.rows]
    assert names == [("a.py:1:f", "x/a.py:1:f", 0), ("b.py:2:g", "x/b.py:2:g", 1)]


def test_totals_that_neither_side_knows_are_named_in_a_note() -> None:
    comparison = make_comparison_report().comparison
    assert comparison is not None
    assert total_deltas_table(comparison).notes == ()
    totals = (make_total_delta("params", 1, None), make_total_delta("bytes", None, None))
    table = total_deltas_table(dataclasses.replace(comparison, totals=totals, device_peak=None))
    assert [row[0].text for row in table.rows] == ["Parameters"]
    assert table.notes == ("Not known on either side: Requested memory.",)
