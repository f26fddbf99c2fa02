"""summary.json: plain JSON whose numbers any reader represents exactly."""

from __future__ import annotations

import dataclasses
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_builders import BEYOND_DOUBLE, make_comparison_report, make_report
from scopes import report_of

from tfprof_report.model.totals import Total
from tfprof_report.render.machine.summary_json import render_summary
from tfprof_report.schema.metrics import SCHEMA_VERSION, UNIT_CONVENTIONS

FILES = {"nodes.parquet": {"sha256": "ab" * 32, "bytes": 3}}


def test_the_keys_are_there_and_the_files_last() -> None:
    content = json.loads(render_summary(make_report(), FILES))
    assert list(content)[:4] == ["schema_version", "tool", "tool_version", "timestamp"]
    assert list(content)[-1] == "files"
    assert content["files"] == FILES
    assert content["schema_version"] == SCHEMA_VERSION
    assert content["conventions"] == UNIT_CONVENTIONS
    assert content["comparison"] is None
    assert content["verdict"] == {
        "text": "Report on 2 nodes; nothing to compare with.",
        "exit_code": 0,
        "gates": [],
        "outcome": "ok",
        "acknowledged": [],
    }


def test_integers_that_doubles_do_not_hold_are_text() -> None:
    totals = {total["stem"]: total["value"] for total in json.loads(render_summary(make_report(), {}))["totals"]}
    assert totals == {
        "params": str(BEYOND_DOUBLE),
        "float_ops": None,
        "bytes": 1_299_227_648,
        "micros": None,
    }


def test_a_lower_bound_is_under_a_key_of_its_own() -> None:
    total = json.loads(render_summary(make_report(), {}))["totals"][1]
    assert total == {
        "stem": "float_ops",
        "value": None,
        "at_least": 17_630_000_000,
        "unknown_nodes": 2,
        "known": 1,
        "capable": 3,
    }


def test_a_comparison_is_there_without_its_tables_and_its_fractions() -> None:
    content = json.loads(render_summary(make_comparison_report(), {}))["comparison"]
    assert content.keys() == {
        *(
            "base",
            "base_rules",
            "counts",
            "classes",
            "params_by_kind",
            "totals",
            "device_peak",
            "estimated_peak",
            "wall",
            "activity",
        ),
        "base_left_out",
    }
    assert content["counts"] == {"new": 1, "removed": 1, "changed": 1, "unchanged": 1}
    assert content["totals"][0]["stem"] == "float_ops"
    assert content["totals"][1]["delta"] == str(BEYOND_DOUBLE)
    assert not [key for total in content["totals"] for key in total if key.startswith("exact_")]


def test_what_the_first_screen_names_is_there() -> None:
    report = report_of({"a/x": {"params": BEYOND_DOUBLE}, "b/x": {"micros": 7}}, {"a/x": {"params": 1}})
    params = {"stem": "params", "base": 1, "head": str(BEYOND_DOUBLE), "amount": 2**53, "share": 100.0 * 2**53}
    micros = {"stem": "micros", "base": None, "head": 7, "amount": 7, "share": None}
    assert json.loads(render_summary(report, {}))["highlights"] == {
        "scopes": [{"name": "a", "status": "changed", "figures": [params]}],
        "times": [{"name": "b", "status": "new", "figures": [micros]}],
    }


def test_it_is_ascii_with_a_line_end_and_the_same_each_time() -> None:
    report = make_report(["é\n</script>\udcff".encode("utf-8", "replace").decode()])
    text = render_summary(report, {})
    assert text.isascii()
    assert text.endswith("}\n")
    assert text == render_summary(report, {})


def test_nan_is_refused() -> None:
    report = make_report(totals=(Total(stem="micros", value=float("nan"), known=1, capable=1),))
    with pytest.raises(ValueError, match="not JSON compliant"):
        render_summary(report, {})


@given(st.integers(-(2**63), 2**63 - 1))
def test_every_total_comes_back_exactly_through_doubles(value: int) -> None:
    report = dataclasses.replace(make_report(), totals=(Total(stem="params", value=value, known=1, capable=1),))
    found = json.loads(render_summary(report, {}), parse_int=float)["totals"][0]["value"]
    assert int(found) == value
