"""The units of columns are those that the documentation states."""

from __future__ import annotations

import re

import pyarrow as pa
from repository import ROOT

from tfprof_report.schema.tables import TABLES
from tfprof_report.schema.units import unit_of_column, units_of


def test_figures_have_the_units_of_the_documentation() -> None:
    text = (ROOT / "docs" / "tables.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| ([\w-]+), (?:int64|float64) \|", text, flags=re.MULTILINE)
    assert len(rows) == 15
    assert {stem: unit_of_column(stem) for stem, _ in rows} == dict(rows)


def test_columns_of_a_figure_have_its_unit() -> None:
    assert units_of(["self_bytes", "total_params", "base_cpu_micros", "delta_nanos", "more_macs"]) == {
        "self_bytes": "bytes",
        "total_params": "elements",
        "base_cpu_micros": "microseconds",
        "delta_nanos": "nanoseconds",
        "more_macs": "multiply-adds",
    }
    assert unit_of_column("unknown_float_ops") == unit_of_column("base_unknown_bytes") == "count"
    assert unit_of_column("percent_bytes") == "percent"
    assert unit_of_column("peak_bytes_per_second") == "bytes per second"


def test_names_keys_and_words_have_none_and_all_other_numbers_have_one() -> None:
    without = {
        field.name
        for schema in TABLES.values()
        for field in schema
        if (pa.types.is_floating(field.type) or pa.types.is_integer(field.type)) and not unit_of_column(field.name)
    }
    assert without == {
        *("node", "row", "parent", "depth", "subtree_size", "position", "step", "base_step", "head_step"),
        *("attrs_digest", "base_attrs_digest", "head_attrs_digest", "alike", "records", "nodes", "count"),
        *("base_count", "head_count", "share_of_peak"),
    }
    words = [pa.string(), pa.bool_(), pa.dictionary(pa.int32(), pa.string()), pa.dictionary(pa.int8(), pa.string())]
    assert [f.name for schema in TABLES.values() for f in schema if f.type in words and unit_of_column(f.name)] == []
