"""The first screen in Markdown: the answer, what to do, the gates, and what else there is, folded."""

from __future__ import annotations

import dataclasses

import cmarkgfm
import pyarrow as pa
from layer_rows import layers_of
from report_builders import make_comparison_report, make_report, make_side

from tfprof_report.compare.gates.grammar import parse_gate
from tfprof_report.compare.gates.policy import Policy
from tfprof_report.compare.gates.verdict import GateResult, GateStatus, Outcome, Verdict
from tfprof_report.model.totals import Total
from tfprof_report.render.markdown.document import render_markdown
from tfprof_report.report.report import Report


def owned(owner: str) -> Report:
    gate = parse_gate("params <= +0", owner=owner)
    result = GateResult(gate=gate.text, status=GateStatus.FAILED, text="why", metric="params", owner=owner)
    verdict = Verdict(text="FAILED: why.", outcome=Outcome.FAILED, gates=(result,))
    return dataclasses.replace(make_comparison_report(verdict=verdict), policy=Policy(gates=(gate,)))


def _spaced(text: str) -> str:
    return text.replace("\N{NO-BREAK SPACE}", " ")


def test_the_command_and_the_owner_are_code() -> None:
    lines = render_markdown(owned("@team")).splitlines()
    command = 'tfprof-report accept tfprof-report --reason "why it is meant" --expires 2024-06-01'
    assert f"Meant? `{command}`" in lines
    assert "Gates are owned by `@team`." in lines


def test_an_owner_can_not_leave_its_code_span() -> None:
    text = render_markdown(owned("`@team` <b>\n# x"))
    page = cmarkgfm.github_flavored_markdown_to_html(text)
    assert "owned by <code>`@team` &lt;b&gt;\\n# x</code>." in page


def test_the_figures_of_a_comparison_are_folded_and_those_of_one_side_are_not() -> None:
    for report, is_folded in ((make_comparison_report(), True), (make_report(), False)):
        before = render_markdown(report).partition("<details>")[0]
        assert ("\n| Figure |" not in before) is is_folded


def test_columns_without_a_value_are_left_out() -> None:
    text = render_markdown(make_comparison_report(verdict=Verdict(text="why", outcome=Outcome.NOT_JUDGED)))
    assert "\n| Outcome | Figure | Change | Base | Head |\n" in text


def test_of_one_side_the_figures_and_the_layers_come_first_and_the_rest_is_folded() -> None:
    layers = {"conv": {"float_ops": 3, "forward_float_ops": 3}, "fc": {"float_ops": 1, "backward_float_ops": 1}}
    total = Total(stem="float_ops", value=4, known=2, capable=2)
    text = render_markdown(make_report(layers=layers_of(layers), totals=(total,)))
    before = text.partition("<details>")[0]
    assert "| FLOPs | 4 | forward 3 (75.00 %), gradients 1 (25.00 %) | all 2 nodes counted |" in _spaced(before)
    assert "### Layers by FLOPs\n\n```text\n3  75.00 %  conv\n1  25.00 %  fc\n```" in before
    assert before.count("### ") == 1
    assert "<summary>All figures</summary>" in text


def test_an_op_type_of_a_figure_is_no_markup_and_mentions_nobody() -> None:
    nodes = pa.table({"name": ["a", "b"], "op": ["@team|<b>", "B"], "micros": [2.0, 1.0]})
    total = Total(stem="micros", value=3, known=2, capable=2)
    text = render_markdown(make_report(head=make_side(nodes=nodes, devices=(), views={}), totals=(total,)))
    page = cmarkgfm.github_flavored_markdown_to_html(text)
    assert "<td><code>@team|&lt;b&gt;</code> 66.67 %, B 33.33 %</td>" in _spaced(page)


def test_alike_layers_keep_their_short_name() -> None:
    same = {"op": "MatMul", "float_ops": 5}
    text = render_markdown(make_report(layers=layers_of({"fc_1": same, "fc_2": same, "fc_9": same})))
    assert "| `fc_1 and 2 alike` | 15 | 100.00\N{NO-BREAK SPACE}% | MatMul |" in text
