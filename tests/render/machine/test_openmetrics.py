"""OpenMetrics, read by the parser of Prometheus's official client."""

from __future__ import annotations

import re
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from judged_models import HOSTILE, make_gate, make_model
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from tfprof_report.compare.gates.verdict import GateStatus, Outcome
from tfprof_report.render.machine.openmetrics import render_openmetrics
from tfprof_report.render.tables.cells import visible
from tfprof_report.report.models import ModelFigure, ModelStatus
from tfprof_report.schema.metrics import METRICS

Samples = dict[tuple[str, str | None, str | None], float]


def read(text: str) -> Samples:
    """Return the value of each sample by name, model and status."""
    return {
        (sample.name, sample.labels.get("model"), sample.labels.get("status")): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_the_text_is_this() -> None:
    gates = (make_gate(), make_gate(status=GateStatus.FAILED))
    assert render_openmetrics([make_model(*gates, outcome=Outcome.FAILED)], has_names=False) == (
        "# TYPE tfprof_report_params gauge\n"
        "# HELP tfprof_report_params Parameters\n"
        "tfprof_report_params 9007199254740993\n"
        "# TYPE tfprof_report_bytes gauge\n"
        "# HELP tfprof_report_bytes Requested memory, in bytes\n"
        "tfprof_report_bytes 12.5\n"
        "# TYPE tfprof_report_device_peak_bytes gauge\n"
        "# HELP tfprof_report_device_peak_bytes Device peak memory, in bytes\n"
        "tfprof_report_device_peak_bytes 4096\n"
        "# TYPE tfprof_report_nodes gauge\n"
        "# HELP tfprof_report_nodes Nodes of the graph\n"
        "tfprof_report_nodes 7\n"
        "# TYPE tfprof_report_gates gauge\n"
        "# HELP tfprof_report_gates Gates by their outcome\n"
        'tfprof_report_gates{status="passed"} 1\n'
        'tfprof_report_gates{status="failed"} 1\n'
        'tfprof_report_gates{status="inconclusive"} 0\n'
        'tfprof_report_gates{status="acknowledged"} 0\n'
        'tfprof_report_gates{status="skipped"} 0\n'
        'tfprof_report_gates{status="no reference"} 0\n'
        "# TYPE tfprof_report_outcome gauge\n"
        "# HELP tfprof_report_outcome Outcome of the verdict: 1 for the one that it is, 0 for the others\n"
        'tfprof_report_outcome{outcome="failed"} 1\n'
        'tfprof_report_outcome{outcome="inconclusive"} 0\n'
        'tfprof_report_outcome{outcome="no baseline"} 0\n'
        'tfprof_report_outcome{outcome="not judged"} 0\n'
        'tfprof_report_outcome{outcome="ok"} 0\n'
        "# TYPE tfprof_report_exit_code gauge\n"
        "# HELP tfprof_report_exit_code Exit code of the verdict: 1 failed, 5 inconclusive, 0 any other outcome\n"
        "tfprof_report_exit_code 1\n"
        "# EOF\n"
    )


def test_an_estimated_peak_is_a_metric_of_its_own() -> None:
    figures = (ModelFigure(stem="estimated_peak_bytes", head=5), ModelFigure(stem="device_peak_bytes", head=7))
    samples = read(render_openmetrics([make_model(figures=figures)], has_names=False))
    assert samples["tfprof_report_estimated_peak_bytes", None, None] == 5
    assert samples["tfprof_report_device_peak_bytes", None, None] == 7


def test_an_unknown_total_has_no_sample_and_is_never_0() -> None:
    names = {name for name, _, _ in read(render_openmetrics([make_model()], has_names=False))}
    assert "tfprof_report_params" in names
    assert "tfprof_report_micros" not in names


def test_every_metric_is_a_valid_family() -> None:
    figures = tuple(ModelFigure(stem=stem, head=place) for place, stem in enumerate(METRICS))
    samples = read(render_openmetrics([make_model(figures=figures)], has_names=False))
    assert {stem: samples[f"tfprof_report_{stem}", None, None] for stem in METRICS} == {
        stem: place for place, stem in enumerate(METRICS)
    }


def test_models_have_a_label_each_and_one_that_is_gone_has_no_figures() -> None:
    gone = make_model(
        name="gone",
        status=ModelStatus.GONE,
        figures=(ModelFigure(stem="params", base=1),),
        nodes=3,
        outcome=Outcome.INCONCLUSIVE,
    )
    samples = read(render_openmetrics([make_model(name="one"), gone], has_names=True))
    assert ("tfprof_report_params", "one", None) in samples
    assert {name for name, model, _ in samples if model == "gone"} == {
        "tfprof_report_gates",
        "tfprof_report_outcome",
        "tfprof_report_exit_code",
    }
    assert samples["tfprof_report_exit_code", "gone", None] == 5


def test_that_nothing_was_judged_is_told_from_ok_though_both_have_exit_code_0() -> None:
    for outcome in (Outcome.OK, Outcome.NOT_JUDGED):
        text = render_openmetrics([make_model(outcome=outcome)], has_names=False)
        assert "tfprof_report_exit_code 0\n" in text
        (line,) = re.findall(r"tfprof_report_outcome\{.*\} 1", text)
        assert line == f'tfprof_report_outcome{{outcome="{outcome}"}} 1'


def test_a_hostile_label_comes_back_as_it_is_shown() -> None:
    samples = read(render_openmetrics([make_model(name=HOSTILE)], has_names=True))
    assert ("tfprof_report_nodes", visible(HOSTILE), None) in samples


@given(st.text(min_size=1, max_size=40))
def test_any_label_comes_back(name: str) -> None:
    text = render_openmetrics([make_model(name=name)], has_names=True)
    assert ("tfprof_report_nodes", visible(name), None) in read(text)
    assert text.endswith("\n# EOF\n")


def test_flops_that_rest_on_a_batch_have_a_label_that_says_so() -> None:
    figures = (ModelFigure(stem="float_ops", head=5, basis="at batch 1 of x"), ModelFigure(stem="params", head=7))
    text = render_openmetrics([replace(make_model(), figures=figures)], has_names=True)
    assert 'tfprof_report_float_ops{model="' in text
    assert ',basis="at batch 1 of x"} 5\n' in text
    assert text.count("basis") == 1
