from __future__ import annotations

import dataclasses

import pyarrow as pa
import pytest
from measured import side_of
from report_builders import make_comparison_report, make_origin, make_report, with_base, with_head
from scopes import Nodes, report_of

from tfprof_report.compare.gates.policy import Policy
from tfprof_report.compare.gates.verdict import Outcome, Verdict
from tfprof_report.compare.step_times import compare_step_times
from tfprof_report.diagnostics import DROPPED, Diagnostic, Severity
from tfprof_report.render.content.headline import fallen_totals, headline, parameter_words, warnings_of
from tfprof_report.report.breakdowns import ParamTotal
from tfprof_report.report.build_report import build_report
from tfprof_report.report.distance import Distance


def compared(base: Nodes, head: Nodes) -> str:
    return headline(report_of(head, base))


def test_growth_has_percent_and_both_sides() -> None:
    base = {"a": {"float_ops": 2_000_000_000, "params": 4}}
    head = {"a": {"float_ops": 2_500_000_000, "params": 3}}
    assert compared(base, head) == "FLOPs grew 25.00 % (2.00 G to 2.50 G), parameters shrank 25.00 % (4 to 3)."


def test_the_headline_has_what_changed_and_what_did_not() -> None:
    text = compared({"a": {"float_ops": 100, "params": 4}}, {"a": {"float_ops": 110, "params": 4}})
    assert text == "FLOPs grew 10.00 % (100 to 110); parameters did not change."


def test_a_small_change_of_a_large_figure_shows_every_digit() -> None:
    text = compared({"a": {"float_ops": 2_000_000_000}}, {"a": {"float_ops": 2_000_000_001}})
    assert text == "FLOPs grew <0.01 % (2,000,000,000 to 2,000,000,001); parameters did not change."


@pytest.mark.parametrize(
    ("base", "head", "text"),
    [
        (0, 5, "FLOPs grew from 0 to 5; parameters did not change."),
        (5, 0, "FLOPs shrank 100.00 % (5 to 0); parameters did not change."),
        (
            5,
            None,
            "FLOPs not fully known in head (5 to unknown); parameters did not change.",
        ),
        (None, 5, "FLOPs not fully known in base (unknown to 5); parameters did not change."),
    ],
)
def test_ends_of_the_scale_read_well(base: int | None, head: int | None, text: str) -> None:
    assert compared({"a": {"float_ops": base}}, {"a": {"float_ops": head}}) == text


def test_equal_sides_are_a_warning() -> None:
    nodes = {"a": {"float_ops": 5}, "b": {"params": 7, "float_ops": 0}}
    assert compared(nodes, nodes) == "Nothing changed: base and head are equal in every figure of all 2 nodes."


def test_nodes_of_another_name_are_counted() -> None:
    base = {f"model/{leaf}": {"float_ops": 5} for leaf in "abcd"}
    head = {f"net/{leaf}": {"float_ops": 5} for leaf in "abcd"}
    assert compared(base, head) == (
        "Nothing but names changed: base and head are equal in every figure of all 4 nodes. "
        "4 nodes have another name than in base."
    )
    wider = {**head, "net/a": {"float_ops": 15}}
    assert compared(base, wider) == (
        "FLOPs grew 50.00 % (20 to 30); parameters did not change. 4 nodes have another name than in base."
    )


def test_too_many_nodes_without_a_partner_are_a_reason_that_the_headline_names() -> None:
    base, head = {"a": {}, "b": {}, "c": {}}, {"a": {}, "d": {}, "e": {}}
    assert compared(base, head).endswith("66.67 % of the nodes have no partner, more than 50 %.")
    assert "partner" not in compared(base, {"a": {}, "b": {}, "e": {}})


def test_time_alone_is_no_change_of_the_model() -> None:
    base, head = {"a": {"float_ops": 5, "micros": 10}}, {"a": {"float_ops": 5, "micros": 30}}
    assert compared(base, head) == "Nothing but time changed: FLOPs and parameters are equal in every node."


def test_a_time_that_was_lost_did_not_change() -> None:
    base, head = {"a": {"float_ops": 5, "micros": 10}}, {"a": {"float_ops": 5, "micros": None}}
    said = "Op time not fully known in head (10 us to unknown); FLOPs and parameters are equal in every node"
    assert compared(base, head).startswith(said)


def test_changes_that_cancel_out_differ_from_none() -> None:
    base, head = {"a": {"float_ops": 5}, "b": {"float_ops": 6}}, {"a": {"float_ops": 6}, "b": {"float_ops": 5}}
    assert compared(base, head) == "FLOPs and parameters did not change; 2 changed, 0 new, 0 removed nodes."


def test_sides_without_a_common_name_are_not_comparable() -> None:
    nodes = [{name: {"float_ops": 1}} for name in "ab"]
    assert compared(*nodes) == "Nothing is comparable: no node of head has a name that base knows."


def test_one_side_alone_has_its_sizes() -> None:
    report = report_of({"a": {"float_ops": 1500}, "b": {"params": 20, "float_ops": 0}})
    assert headline(report) == "FLOPs 1.50 k, parameters 20, in 2 nodes; nothing to compare with."
    assert headline(make_report()).startswith(
        "FLOPs at least 17.63 G, parameters 9.01 P, device peak memory at least 3.00 GiB, in 2 nodes"
    )


def test_what_a_total_lacks_is_named_with_what_would_give_it() -> None:
    ops = {"a": "MatMul", "b": "Conv2D", "c": "Conv2D", "d": "Relu", "e": "Tanh"}
    side = side_of({name: {"float_ops": 7 if name == "a" else None} for name in ops}, ops=ops)
    kinds = pa.array(["contraction"] * 3 + ["elementwise"] * 2)
    reasons = pa.array([None] + ["a shape is not fully known"] * 3 + ["there is no rule for the op type"])
    nodes = side.nodes
    for name, column in (("op_class", kinds), ("float_ops_reason", reasons)):
        nodes = nodes.set_column(nodes.column_names.index(name), name, column)
    report = build_report(
        dataclasses.replace(side, nodes=nodes),
        base=None,
        policy=Policy(),
        timestamp="2026-01-01T00:00:00Z",
        tool_version="1",
    )
    assert headline(report) == (
        "FLOPs at least 7, parameters 0, in 5 nodes; nothing to compare with. "
        "FLOPs of 4 nodes unknown: Conv2D (2), Relu, Tanh (--input-shape or --batch gives open shapes; "
        "--flops-rules takes rules for op types without one)."
    )


def test_unknown_figures_of_one_side_are_unknown() -> None:
    text = "FLOPs unknown, parameters unknown, in 1 node; nothing to compare with."
    assert headline(report_of({"a": {}})) == text


def test_events_that_a_profiler_lost_are_told_of_their_side() -> None:
    text = "the profiler dropped events: times and counts are of what is left"
    lost = Diagnostic(
        severity=Severity.WARNING, code=DROPPED, text=text, count=1, examples=("/device:GPU:0 dropped 1,234",)
    )
    report = make_comparison_report()
    assert report.comparison
    assert "In head, the profiler dropped" not in headline(report)
    both = with_head(with_base(report, diagnostics=(lost,)), diagnostics=(lost,))
    found = f"{text} (/device:GPU:0 dropped 1,234)"
    assert headline(both).startswith(f"In base, {found}. In head, {found}. ")


def test_the_same_files_on_both_sides_are_a_warning() -> None:
    report = make_comparison_report()
    assert report.comparison
    same = with_base(report, origin=report.head.origin)
    assert warnings_of(same) == ("Base and head are the same files: this compares a model with itself.",)
    other = with_base(report, origin=make_origin(inputs=report.head.origin.inputs), rules="extended 1")
    assert len(warnings_of(with_head(other, rules="extended 2"))) == 2
    assert warnings_of(report_of({"a": {}}, {"a": {}})) == ()


def test_a_missing_baseline_is_reported() -> None:
    verdict = Verdict(text="NO BASELINE: why.", outcome=Outcome.NO_BASELINE)
    assert headline(make_report(verdict=verdict)).endswith("in 2 nodes; no baseline to compare with.")


def test_totals_that_fell_are_named_and_times_only_where_steps_say_so() -> None:
    base = {"a": {"float_ops": 100, "params": 4, "micros": 50}}
    head = {"a": {"float_ops": 90, "params": 5, "micros": 10}}
    comparison = report_of(head, base).comparison
    assert comparison is not None
    minus = "\N{MINUS SIGN}"
    assert fallen_totals(comparison) == (f"Totals that fell: FLOPs {minus}10.00 % ({minus}10).",)
    faster = dataclasses.replace(comparison, times=(compare_step_times("micros", [50] * 4, [10] * 4),))
    assert f"Op time {minus}80.00 % ({minus}40 us)" in fallen_totals(faster)[0]
    assert fallen_totals(dataclasses.replace(comparison, totals=())) == ()


@pytest.mark.parametrize(
    ("head", "text"), [([20, 22, 24, 26], " Steps are slower: median 11 us to 23 us (+109.09 %)."), ([10] * 4, "")]
)
def test_times_are_named_where_steps_are_clearly_apart(head: list[int], text: str) -> None:
    report = make_comparison_report(verdict=Verdict(text="OK: why.", outcome=Outcome.OK))
    assert report.comparison is not None
    times = (compare_step_times("micros", [10, 10, 12, 12], head), compare_step_times("cpu_micros", [1] * 4, [9] * 4))
    found = headline(dataclasses.replace(report, comparison=dataclasses.replace(report.comparison, times=times)))
    assert found == headline(report) + text


def kind(word: str, params: int, *, known: int = 1) -> ParamTotal:
    return ParamTotal(kind=word, nodes=1, guesses=0, known=known, params=params, param_bytes=None)


@pytest.mark.parametrize(
    ("totals", "words"),
    [
        ((kind("trainable", 767_000), kind("slot", 767_000)), "767.00 k trainable, 1.53 M with optimizer state"),
        (
            (kind("trainable", 900), kind("not_trainable", 100), kind("slot", 1800)),
            "900 trainable, 1.00 k in the model, 2.80 k with optimizer state",
        ),
        ((kind("trainable", 900), kind("not_trainable", 100)), "900 trainable, 1.00 k in the model"),
        ((kind("trainable", 900),), ""),
        ((kind("frozen", 900),), ""),
        ((kind("trainable", 900), kind("slot", 900, known=0)), ""),
    ],
    ids=["slots", "statistics", "no slots", "all", "frozen", "unknown"],
)
def test_parameters_are_named_by_what_they_are_for(totals: tuple[ParamTotal, ...], words: str) -> None:
    params, known = (sum(getattr(total, name) for total in totals) for name in ("params", "known"))
    every = ParamTotal(kind="all", nodes=len(totals), guesses=0, known=known, params=params, param_bytes=None)
    assert parameter_words((*totals, every)) == words


@pytest.mark.parametrize(
    ("commit", "back", "seconds", "first"),
    [
        ("3f2a1bc84de1aa", 11, None, "Compared with 3f2a1bc84de1, 11 commits back. "),
        ("main\n", 0, 8 * 86_400, "Compared with main\n, 0 commits back, 8 days old. "),
        (None, 41, 60, "Compared with a baseline, 41 commits back, less than an hour old. "),
        ("3f2a1bc84de1aa", 10, 7 * 86_400, ""),
        ("3f2a1bc84de1aa", None, None, ""),
    ],
)
def test_a_far_or_old_baseline_comes_first(
    commit: str | None, back: int | None, seconds: int | None, first: str
) -> None:
    report = make_comparison_report()
    assert report.comparison is not None
    base = dataclasses.replace(report.comparison.base, origin=make_origin("base", commit=commit))
    report = dataclasses.replace(
        report,
        comparison=dataclasses.replace(report.comparison, base=base),
        distance=Distance(commits_back=back, age_seconds=seconds),
    )
    near = dataclasses.replace(report, distance=Distance())
    assert headline(report) == first + headline(near)
