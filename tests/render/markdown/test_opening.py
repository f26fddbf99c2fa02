"""The first screen in Markdown: the answer, what to do, the gates, and what else there is, folded."""

from __future__ import annotations

import dataclasses

import cmarkgfm
from report_builders import make_comparison_report, make_report

from tfprof_report.compare.gates.grammar import parse_gate
from tfprof_report.compare.gates.policy import Policy
from tfprof_report.compare.gates.verdict import GateResult, GateStatus, Outcome, Verdict
from tfprof_report.render.markdown.document import render_markdown
from tfprof_report.report.report import Report


def owned(owner: str) -> Report:
    gate = parse_gate("params <= +0", owner=owner)
    result = GateResult(gate=gate.text, status=GateStatus.FAILED, text="why", metric="params", owner=owner)
    verdict = Verdict(text="FAILED: why.", outcome=Outcome.FAILED, gates=(result,))
    return dataclasses.replace(make_comparison_report(verdict=verdict), policy=Policy(gates=(gate,)))


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
    assert "\n## Figures\n\n| Outcome | Figure | Base | Head | Change |\n" in text
