"""verdict.json: the outcome as plain JSON that its schema describes."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable
from datetime import date
from fractions import Fraction
from typing import Any

import pytest
from jsonschema import Draft202012Validator, ValidationError
from report_builders import BEYOND_DOUBLE, make_comparison_report, make_origin, make_report
from repository import ROOT
from scopes import report_of

from tfprof_report.compare.causes.movers import find_movers
from tfprof_report.compare.comparison import MatchedBy, Matching, Rename, StepTimes, TimeChange, TimeFinding
from tfprof_report.compare.gates.policy import Level, Policy, Subject
from tfprof_report.compare.gates.verdict import (
    AcknowledgedChange,
    AcknowledgedStatus,
    GateResult,
    GateStatus,
    JudgedRow,
    Outcome,
    Verdict,
)
from tfprof_report.render.content.models_index import page_of, page_of_gone, verdicts_of
from tfprof_report.render.machine.verdict_json import LISTED, VERSION, render_models_verdict, render_verdict
from tfprof_report.report.models import ModelsReport, ModelStatus, judge_models, model_of
from tfprof_report.report.report import Report
from tfprof_report.schema.metrics import SCHEMA_VERSION

SCHEMA = json.loads((ROOT / "docs" / "verdict.schema.json").read_text())
HOSTILE = "</script>\n\x00\x1b[31m\u202e]]>\"'" + "x" * 10_000


def closed(schema: Any) -> Any:
    """Return a schema in which objects allow no additional keys."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {key: closed(value) for key, value in schema.items()}
    return inner if "properties" not in schema or "allOf" in schema else {**inner, "unevaluatedProperties": False}


def strict() -> Draft202012Validator:
    schema = json.loads(json.dumps(SCHEMA))
    for name, part in schema["$defs"].items():
        if name not in ("one", "model"):
            schema["$defs"][name] = closed(part)
    schema["$defs"]["model"]["unevaluatedProperties"] = False
    return Draft202012Validator({**schema, "unevaluatedProperties": False})


def read(text: str) -> Any:
    verdict = json.loads(text)
    strict().validate(verdict)
    return verdict


def full_report() -> Report:
    """Return a report with content for every key."""
    row = JudgedRow(name=HOSTILE, status=GateStatus.FAILED, base=1, head=BEYOND_DOUBLE, delta=1.5, percent=2.5)
    gates = (
        GateResult(
            gate="bytes <= +1%",
            status=GateStatus.FAILED,
            text=HOSTILE,
            metric="bytes",
            subject=Subject.NODE,
            glob="encoder/**",
            level=Level.INFORM,
            source="tfprof-report.toml: gates[2]",
            judged=12,
            failed=11,
            rows=(row,),
        ),
        GateResult(gate="--fail-on-unknown", status=GateStatus.PASSED, text="all known"),
    )
    acknowledged = AcknowledgedChange(
        metric="params",
        node="fc/**",
        value=12,
        base=10,
        head=None,
        reason="wider",
        expires=date(2026, 10, 1).isoformat(),
        status=AcknowledgedStatus.OTHER_VALUE,
        text="why",
    )
    times = [StepTimes(steps=steps, median=5, spread=1, exact_median=Fraction(5)) for steps in (4, 3)]
    change = TimeChange(
        stem="micros", base=times[0], head=times[1], percent=None, p_value=None, finding=TimeFinding.NOT_ENOUGH_STEPS
    )
    report = make_comparison_report((HOSTILE, "b", "c", "d"), origin=make_origin(label=HOSTILE))
    assert report.comparison
    return dataclasses.replace(
        report,
        comparison=dataclasses.replace(report.comparison, times=(change,)),
        verdict=Verdict(text=HOSTILE, outcome=Outcome.FAILED, gates=gates, acknowledged=(acknowledged,)),
    )


def make_models(label: str | None = None) -> tuple[ModelsReport, dict[str, Any]]:
    compared, alone = full_report(), make_report()
    pages = [
        page_of(model_of("compared", compared, ModelStatus.COMPARED), compared, {}),
        page_of(model_of("fresh", alone, ModelStatus.NEW), alone, {}),
        page_of_gone(model_of("lost", alone, ModelStatus.GONE), alone),
    ]
    models = tuple(page.model for page in pages)
    report = ModelsReport(
        tool_version="0.1.0",
        schema_version=SCHEMA_VERSION,
        label=label,
        commit="0123",
        branch=None,
        timestamp="2024-05-02T08:30:00Z",
        models=models,
        verdict=judge_models(models),
    )
    return report, dict(verdicts_of(pages))


def named(totals: Iterable[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {total["metric"]: total for total in totals}


def test_the_schema_is_a_schema_and_knows_the_version() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["properties"]["verdict_version"] == {
        "description": "Version of this format; new keys do not raise it.",
        "const": VERSION,
    }


@pytest.mark.parametrize("report", [make_report(), make_comparison_report(), full_report()], ids=range(3))
def test_every_report_matches_the_schema(report: Report) -> None:
    verdict = read(render_verdict(report))
    assert list(verdict)[:5] == ["verdict_version", "tool", "tool_version", "timestamp", "report"]
    assert verdict["report"] == "report.html"
    assert (verdict["exit_code"], verdict["text"]) == (report.verdict.exit_code, report.verdict.text)


def test_the_strict_reading_of_these_tests_refuses_what_the_schema_does_not_name() -> None:
    verdict = read(render_verdict(make_comparison_report()))
    for spoilt in (
        {**verdict, "other": 1},
        {**verdict, "gates": [{**verdict["gates"][0], "other": 1}]},
        {key: value for key, value in verdict.items() if key != "rows"},
    ):
        with pytest.raises(ValidationError):
            strict().validate(spoilt)


def test_a_newer_report_with_more_keys_still_matches_the_schema() -> None:
    verdict = read(render_verdict(make_comparison_report()))
    Draft202012Validator(SCHEMA).validate({**verdict, "later": 1, "gates": [{**verdict["gates"][0], "later": 1}]})


def test_it_says_what_was_compared_and_what_came_of_it() -> None:
    report = make_comparison_report()
    verdict = read(render_verdict(report))
    assert report.comparison
    assert verdict["status"] == "failed"
    assert verdict["has_changed"] is True
    assert verdict["rows"] == {"matched": 2, "new": 1, "removed": 1, "changed": 1, "unchanged": 1}
    assert (verdict["head"]["commit"], verdict["base"]["commit"]) == ("0123456789abcdef0123", "fedcba9876543210fedc")
    assert verdict["head"]["digest"] == report.head.origin.digest
    assert [gate["status"] for gate in verdict["gates"]] == ["failed", "passed"]
    assert named(verdict["totals"])["float_ops"] == {
        "metric": "float_ops",
        "unit": "count",
        "base": None,
        "base_at_least": 1705,
        "base_unknown_nodes": 2,
        "head": None,
        "head_at_least": 4_001_255,
        "head_unknown_nodes": 1,
        "delta": 3_999_550,  # the unknown nodes cancel
        "percent": pytest.approx(234577.7126),
        "state": "changed",
        "base_known": 10,
        "base_capable": 12,
        "head_known": 11,
        "head_capable": 12,
    }
    least = [total["head_at_least"] for total in verdict["totals"]]
    assert least == [4_001_255, str(BEYOND_DOUBLE), None, 3 * 2**30]


def test_a_report_without_a_base_has_totals_of_head_alone() -> None:
    verdict = read(render_verdict(make_report()))
    assert (verdict["status"], verdict["has_changed"], verdict["base"], verdict["rows"]) == ("ok", None, None, None)
    totals = named(verdict["totals"])
    assert list(totals) == ["params", "float_ops", "bytes", "micros", "device_peak_bytes"]
    assert {total["base"] for total in totals.values()} == {None}
    peak = totals["device_peak_bytes"]
    assert (peak["head"], peak["head_at_least"], peak["head_unknown_nodes"]) == (None, 3 * 2**30, 1)
    assert (peak["head_known"], peak["head_capable"], peak["unit"]) == (1, 2, "bytes")


def test_a_baseline_that_may_be_missing_is_never_ok() -> None:
    missing = Verdict(text="NO BASELINE: x.", outcome=Outcome.NO_BASELINE)
    verdict = read(render_verdict(make_report(verdict=missing)))
    assert (verdict["status"], verdict["exit_code"]) == ("no baseline", 0)


def test_times_and_accepted_changes_are_there_without_fractions() -> None:
    verdict = read(render_verdict(full_report()))
    assert verdict["times"] == [
        {
            "metric": "micros",
            "base": {"steps": 4, "median": 5, "spread": 1},
            "head": {"steps": 3, "median": 5, "spread": 1},
            "percent": None,
            "p_value": None,
            "finding": "not enough steps",
        }
    ]
    (change,) = verdict["acknowledged"]
    assert (change["status"], change["expires"], change["value"]) == ("other value", "2026-10-01", 12)


def test_who_moved_a_figure_is_named_worst_first_and_small_changes_are_counted() -> None:
    base = {"a": {"params": 1000}, "b": {"params": 500}, "c": {"params": 9}, **{f"n{i}": {} for i in range(25)}}
    head = {"a": {"params": 1100}, "b": {"params": 400}, "c": {"params": 10}}
    head |= {f"n{i}": {"params": 10 + i} for i in range(25)}
    report = with_movers(report_of(head, base))
    verdict = read(render_verdict(report))
    changes = {each["metric"]: each for each in verdict["changes"]}
    assert verdict["threshold_percent"] == 1
    assert [row["name"] for row in changes["params"]["worst"]] == ["a"]
    assert changes["params"]["unknown_on_a_side"] == 25
    assert [(row["name"], row["delta"]) for row in changes["params"]["improvements"]] == [("b", -100)]
    assert changes["params"]["below_threshold"]["count"] == 1
    assert changes["params"]["below_threshold"]["largest"]["name"] == "c"


def with_movers(report: Report) -> Report:
    policy = Policy(threshold=Fraction(1))
    assert report.comparison
    return dataclasses.replace(report, policy=policy, movers=find_movers(report.comparison, policy.threshold))


def test_more_rows_than_are_listed_are_counted() -> None:
    grown = {f"n{place}": {"params": 10 + place} for place in range(25)}
    verdict = read(render_verdict(with_movers(report_of(grown, {name: {"params": 1} for name in grown}))))
    (changes,) = verdict["changes"]
    assert (len(changes["worst"]), changes["worst_count"], changes["worst"][0]["name"]) == (LISTED, 25, "n24")


def test_it_says_how_nodes_were_matched_and_how_many_were_not() -> None:
    report = make_comparison_report()
    assert report.comparison
    rename = Rename(base="model/", head="net/", nodes=3, matched_by=MatchedBy.PREFIX)
    counts = {**dict.fromkeys(MatchedBy, 0), MatchedBy.NAME: 4, MatchedBy.PREFIX: 3}
    matching = Matching(counts=counts, nodes=16, renames=(rename,), unused=("x",))
    comparison = dataclasses.replace(report.comparison, matching=matching)
    assert read(render_verdict(dataclasses.replace(report, comparison=comparison)))["matching"] == {
        "by_name": 4,
        "by_prefix": 3,
        "by_map": 0,
        "by_layer": 0,
        "by_suggested": 0,
        "unmatched_percent": 12.5,
        "most_unmatched_percent": 50,
        "renames": [{"base": "model/", "head": "net/", "nodes": 3, "matched_by": "prefix"}],
        "rename_count": 1,
        "unused": ["x"],
    }


def test_a_gate_names_its_worst_rows_exactly() -> None:
    gate = read(render_verdict(full_report()))["gates"][0]
    (row,) = gate["rows"]
    assert (row["name"], row["head"]) == (HOSTILE, str(BEYOND_DOUBLE))
    assert (gate["judged"], gate["failed"], gate["level"], gate["subject"]) == (12, 11, "inform", "node")


def test_alone_it_says_that_there_is_no_page() -> None:
    assert read(render_verdict(make_comparison_report(), is_alone=True))["report"] is None


def test_several_models_have_what_each_has_alone_and_an_outcome_over_all() -> None:
    report, verdicts = make_models("all")
    verdict = read(render_models_verdict(report, verdicts))
    assert (verdict["status"], verdict["exit_code"], verdict["label"]) == ("failed", 1, "all")
    models = {model["name"]: model for model in verdict["models"]}
    assert {name: (model["presence"], model["status"]) for name, model in models.items()} == {
        "compared": ("compared", "failed"),
        "fresh": ("new", "ok"),
        "lost": ("gone", "inconclusive"),
    }
    alone = json.loads(render_verdict(full_report()))
    assert {key: models["compared"][key] for key in alone if key in models["compared"]} == {
        key: value for key, value in alone.items() if key in models["compared"]
    }
    lost = models["lost"]
    assert (lost["head"], lost["base"]["label"], lost["has_changed"]) == (None, "resnet50", None)
    assert (lost["totals"][0]["base"], lost["totals"][0]["head"]) == (str(BEYOND_DOUBLE), None)


def test_it_is_ascii_with_a_line_end_and_the_same_each_time() -> None:
    text = render_verdict(full_report())
    assert text.isascii()
    assert text.endswith("}\n")
    assert text == render_verdict(full_report())


def test_its_page_names_every_key_and_every_word_of_an_outcome() -> None:
    page = (ROOT / "docs" / "verdict.md").read_text()
    keys = {*SCHEMA["properties"], *SCHEMA["then"]["properties"], *SCHEMA["$defs"]["one"]["properties"]}
    words = {*Outcome, *ModelStatus, "name", "presence", *SCHEMA["$defs"]["rows"]["properties"]}
    assert {word for word in (*keys, *words) if f"`{word}`" not in page} == set()
