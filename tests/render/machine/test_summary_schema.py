"""Every key of summary.json is in its schema, whatever the report is on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command import call, small_model, summary_of, write_model
from jsonschema import Draft202012Validator, ValidationError
from messages import graph, node
from report_builders import make_comparison_report, make_report
from repository import DATA
from strict_schema import schema_of, strict

from tfprof_report.model.measurement import AS_REPORTS
from tfprof_report.render.machine.summary_json import render_summary

STRICT = strict("summary")


def with_base(tmp: Path) -> list[object]:
    return ["diff", small_model(tmp / "base"), small_model(tmp / "head", width=8, in_use=9000)]


def with_gates(tmp: Path) -> list[object]:
    accepted = tmp / "accepted.toml"
    accepted.write_text('[[acknowledged]]\nmetric = "params"\nvalue = "24"\nreason = "wider"\nexpires = 2099-01-01\n')
    gates = ["--gate", "float_ops <= +1%", "--gate", "params <= +0", "--gate", "micros <= +5%", "--fail-on-unknown"]
    return [*with_base(tmp), *gates, "--acknowledged", accepted, "--timestamp", "2026-01-01"]


def with_drift(tmp: Path) -> list[object]:
    earlier = tmp / "earlier"
    assert call("report", small_model(tmp / "old"), "--out", earlier).code == 0
    return [*with_base(tmp), "--gate", f"params <= +0 against {earlier}"]


def without_graph(_: Path) -> list[object]:
    return ["report", "--xplane", DATA / "xplane" / "jax_train"]


def without_a_run(tmp: Path) -> list[object]:
    nodes = [node("x", "Placeholder", shape=[-1, 3]), node("y", "NonMaxSuppressionV3", "x"), node("z", "Custom", "x")]
    return ["report", write_model(tmp / "m", graph(*nodes)), "--leave-out", "all", "--input-shape", "x=2,3"]


def of_several_models(tmp: Path) -> list[object]:
    a, b = small_model(tmp / "a"), small_model(tmp / "b", width=8)
    return ["report", "--model", f"a={a}", "--model", f"new={a}", "--base-model", f"a={b}", "--base-model", f"gone={b}"]


def with_a_step_beyond_double(tmp: Path) -> list[object]:
    model = small_model(tmp / "m")
    return ["report", "--graph", model / "graph.pb", "--run-meta", f"100000000000000001={model / 'run_meta_1'}"]


KINDS = (with_base, with_gates, with_drift, without_graph, without_a_run, with_a_step_beyond_double, of_several_models)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_key_is_in_the_schema(tmp_path: Path, kind: Callable[[Path], list[object]]) -> None:
    outcome = call(*kind(tmp_path), "--out", tmp_path / "out")
    assert outcome.code in (0, 1, 5), outcome
    for path in sorted((tmp_path / "out").rglob("summary.json")):
        STRICT.validate(summary_of(path.parent))
        Draft202012Validator(schema_of("verdict")).validate(json.loads(path.with_name("verdict.json").read_text()))


@pytest.mark.parametrize("report", [make_report(), make_comparison_report()], ids=("one side", "both"))
def test_extreme_figures_are_in_the_schema(report: Any) -> None:
    STRICT.validate(json.loads(render_summary(report, {})))


def test_the_options_are_those_that_reports_write() -> None:
    assert list(schema_of("summary")["$defs"]["one"]["properties"]["options"]["properties"]) == list(
        AS_REPORTS.as_dict()
    )


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content.update(unheard_of=1),
        lambda content: content["side"].update(colour="red"),
        lambda content: content["totals"][0].update(value="many"),
        lambda content: content.pop("steps"),
    ],
    ids=("a key", "a key within", "a type", "a missing key"),
)
def test_the_strict_reading_of_these_tests_refuses(change: Callable[[Any], object]) -> None:
    content = json.loads(render_summary(make_report(), {}))
    STRICT.validate(content)
    change(content)
    with pytest.raises(ValidationError):
        STRICT.validate(content)
