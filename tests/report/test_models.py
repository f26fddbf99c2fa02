"""Several models: their possible names, the verdict over all, and what is kept of each."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_builders import BEYOND_DOUBLE, make_comparison_report, make_report
from scopes import Nodes, report_of

from tfprof_report.compare.comparison import State
from tfprof_report.compare.gates.verdict import Outcome, Verdict
from tfprof_report.report.models import (
    Model,
    ModelFigure,
    ModelStatus,
    folded,
    folder_problem,
    judge_models,
    model_of,
    name_problem,
)

FAILED, INCONCLUSIVE, OK = Outcome.FAILED, Outcome.INCONCLUSIVE, Outcome.OK


def make_model(name: str, outcome: Outcome = Outcome.OK, status: ModelStatus = ModelStatus.COMPARED) -> Model:
    verdict = Verdict(text="What and why.", outcome=outcome)
    return Model(name=name, status=status, verdict=verdict, nodes=3, figures=())


@pytest.mark.parametrize(
    ("models", "text"),
    [
        ([make_model("a")], "OK: nothing failed in 1 model."),
        ([make_model("a"), make_model("b")], "OK: nothing failed in 2 models."),
        ([make_model("a", FAILED)], "FAILED: of 1 model 1 failed (a)."),
        (
            [make_model("a", INCONCLUSIVE), make_model("b", FAILED), make_model("c"), make_model("d", FAILED)],
            "FAILED: of 4 models 2 failed (b, d), 1 inconclusive (a), 1 OK.",
        ),
        (
            [make_model("a"), make_model("b", INCONCLUSIVE, ModelStatus.GONE)],
            "INCONCLUSIVE: nothing failed in 1 model; gone: b.",
        ),
        ([make_model("a", OK, ModelStatus.NEW)], "OK: nothing failed in 1 model; new: a."),
        (
            [
                make_model("a", FAILED),
                make_model("b", INCONCLUSIVE, ModelStatus.NEW),
                make_model("c", INCONCLUSIVE, ModelStatus.GONE),
            ],
            "FAILED: of 2 models 1 failed (a), 1 inconclusive (b); gone: c; new: b.",
        ),
    ],
)
def test_the_verdict_over_all_models_is_a_sentence_that_names_those_that_are_not_ok(
    models: list[Model], text: str
) -> None:
    assert judge_models(models).text == text


def test_models_of_which_nothing_was_judged_are_not_called_ok() -> None:
    unjudged = [make_model(name, Outcome.NOT_JUDGED) for name in "ab"]
    judged = judge_models(unjudged)
    assert (judged.text, judged.exit_code) == ("NOT JUDGED: nothing was judged in 2 models.", 0)
    judged = judge_models([*unjudged, make_model("c")])
    assert (judged.text, judged.exit_code) == ("NOT JUDGED: nothing failed in 3 models; not judged: a, b.", 0)
    judged = judge_models([*unjudged, make_model("c"), make_model("d", FAILED)])
    assert judged.text == "FAILED: of 4 models 1 failed (d), 1 OK; not judged: a, b."


def test_a_model_without_a_baseline_is_never_called_ok() -> None:
    verdict = Verdict(text="What and why.", outcome=Outcome.NO_BASELINE)
    first = replace(make_model("first", status=ModelStatus.REPORTED), verdict=verdict)
    judged = judge_models([make_model("a"), first])
    assert judged.text == "NO BASELINE: nothing failed in 2 models; without a baseline: first."
    assert (judged.outcome, judged.exit_code) == (Outcome.NO_BASELINE, 0)
    judged = judge_models([make_model("a"), first, make_model("b", FAILED)])
    assert judged.text == "FAILED: of 3 models 1 failed (b), 1 OK; without a baseline: first."
    assert (judged.outcome, judged.exit_code) == (Outcome.FAILED, 1)


def test_the_verdict_names_models_that_changed() -> None:
    more = replace(make_model("more"), has_changed=True)
    assert judge_models([more, make_model("same")]).text == "OK: nothing failed in 2 models; changed: more."
    many = [replace(more, name=f"m{at}") for at in range(11)]
    assert judge_models(many).text.endswith("; changed: m0, m1, m2, m3, m4, m5, m6, m7 and 3 more.")


@given(st.lists(st.sampled_from(Outcome), min_size=1))
def test_the_verdict_over_all_models_is_the_worst_of_theirs(outcomes: list[Outcome]) -> None:
    judged = judge_models([make_model(f"m{at}", outcome) for at, outcome in enumerate(outcomes)])
    assert judged.outcome is min(outcomes, key=list(Outcome).index)
    assert judged.text.startswith(f"{judged.outcome.upper()}: ")


@given(st.text("aZ0_.-é :/\\\n", max_size=12) | st.text(max_size=120))
def test_a_name_that_is_taken_is_one_folder_without_tricks(name: str) -> None:
    if name_problem(name) is None:
        assert not set(name) & set('/\\:*?"<>| ')
        assert name.isprintable()
        assert not name.startswith(".")
        assert not name.endswith(".")
        assert len(name.encode()) <= 100


@pytest.mark.parametrize("name", ["index", "INDEX", "Index", "\N{FULLWIDTH LATIN SMALL LETTER I}ndex"])
def test_the_index_of_a_store_has_its_name_for_itself(name: str) -> None:
    assert name_problem(name) == "a store keeps the totals of its reports under this name"
    assert folder_problem(name) is None
    assert name_problem(f"{name}2") is None


def test_names_that_some_file_system_takes_for_one_fold_to_the_same() -> None:
    assert folded("Encoder") == folded("encoder")
    assert folded("\N{LATIN SMALL LETTER E WITH ACUTE}") == folded("E\N{COMBINING ACUTE ACCENT}")
    assert folded("a1") != folded("a2")


def test_a_model_alone_has_its_totals_as_head_and_its_peak() -> None:
    model = model_of("m", make_report(), ModelStatus.REPORTED)
    assert model.figure("params") == ModelFigure(stem="params", head=BEYOND_DOUBLE)
    assert model.figure("device_peak_bytes") == ModelFigure(stem="device_peak_bytes", head=3 * 2**30, head_unknown=1)
    assert model.figure("micros") == ModelFigure(stem="micros", head_unknown=2)
    assert model.nodes == 2


def test_a_compared_model_has_both_sides_and_their_difference() -> None:
    model = model_of("m", make_comparison_report(), ModelStatus.COMPARED)
    assert model.verdict.exit_code == 1
    assert model.figure("float_ops") == ModelFigure(
        stem="float_ops",
        base=1705,
        head=4_001_255,
        delta=3_999_550,
        percent=100 * 3_999_550 / 1705,
        state=State.CHANGED,
        base_unknown=2,
        head_unknown=1,
    )
    assert model.figure("device_peak_bytes").delta == 2 * 2**30


def test_a_model_that_is_gone_has_what_base_had_and_is_inconclusive() -> None:
    model = model_of("m", make_report(), ModelStatus.GONE)
    assert model.figure("params") == ModelFigure(stem="params", base=BEYOND_DOUBLE)
    assert model.verdict.exit_code == 5


@pytest.mark.parametrize(
    ("head", "has_changed"),
    [
        ({"a": {"params": 2, "micros": 9}, "b": {"params": 1}}, False),
        ({"a": {"params": 1, "micros": 5}, "b": {"params": 2}}, True),
    ],
    ids=["time alone", "totals that cancel out"],
)
def test_a_model_has_changed_where_its_report_has_news(head: Nodes, *, has_changed: bool) -> None:
    base: Nodes = {"a": {"params": 2, "micros": 5}, "b": {"params": 1}}
    assert model_of("m", report_of(head, base), ModelStatus.COMPARED).has_changed is has_changed
