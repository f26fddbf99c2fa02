"""The first screen, as data and as the text of a page without scripts and styles."""

from __future__ import annotations

import dataclasses
import re
from html import unescape
from urllib.parse import unquote

import pytest
from layer_rows import layers_of
from report_builders import make_comparison_report, make_origin, make_report, with_head
from scopes import report_of

from tfprof_report.compare.causes.highlights import Highlights
from tfprof_report.compare.gates.grammar import parse_gate
from tfprof_report.compare.gates.policy import Level, Policy
from tfprof_report.compare.gates.verdict import GateResult, GateStatus, Outcome, Verdict
from tfprof_report.model.measurement import Measurement
from tfprof_report.options import Options
from tfprof_report.render.content.cards import Card
from tfprof_report.render.content.first_screen import make_screen
from tfprof_report.render.html.page import render_html
from tfprof_report.render.markdown.document import render_markdown
from tfprof_report.report.report import Report
from tfprof_report.report.uncounted import find_uncounted
from tfprof_report.semantics import TFPROF

BASE = {
    "stem/conv": {"float_ops": 100_000, "params": 100, "micros": 50},
    "block_1/conv": {"float_ops": 500_000, "params": 2_000, "micros": 30},
    "block_2/conv": {"float_ops": 300_000, "params": 1_900, "micros": 20},
    "head/dense": {"float_ops": 100_000, "params": 1_000, "micros": 100},
}
HEAD = {
    **{name: BASE[name] for name in ("stem/conv", "head/dense")},
    "block_1/conv": {"float_ops": 750_000, "params": 3_000, "micros": 40},
    "block_3/conv": {"float_ops": 200_000, "params": 1_900, "micros": 20},
}
"""Of a million FLOPs, block 1 grows by 25 %, block 2 with 30 % is removed and block 3 with 20 % is new."""


@pytest.fixture
def report() -> Report:
    return report_of(HEAD, BASE)


def first_screen(report: Report) -> str:
    """Return the text before the navigation, on one line, as shown without scripts and styles."""
    html = render_html(report)
    header = html[html.index("<header") : html.index("</header>")]
    assert "<script" not in header
    return " ".join(unescape(re.sub(r"<[^>]*>", "", header)).split())


def cards(report: Report) -> dict[str, Card]:
    return {card.label: card for card in make_screen(report).cards}


def texts(card: Card) -> list[str | None]:
    return [cell and cell.text for cell in (card.base, card.head, card.delta, card.percent)]


def test_text_alone_shows_the_verdict_the_largest_changes_and_both_commits(report: Report) -> None:
    text = first_screen(report)
    assert "May be merged FLOPs grew 15.00 % (1.00 M to 1.15 M), parameters grew 20.00 % (5.00 k to 6.00 k)." in text
    assert (
        "What changed most"
        " block_2 removed Parameters \N{MINUS SIGN}1.90 k, FLOPs \N{MINUS SIGN}300.00 k"
        " block_1 FLOPs +250.00 k, Parameters +1.00 k"
        " block_3 new Parameters +1.90 k, FLOPs +200.00 k"
        " Scopes, ranked by the figures that gates are on, without gates by FLOPs."
    ) in text
    assert text.startswith("tfprof report resnet50 main at 0123456789ab against old at fedcba987654")


def test_the_cards_have_both_sides_and_the_difference(report: Report) -> None:
    found = cards(report)
    assert list(found) == ["FLOPs", "Parameters", "Op time", "Nodes", "FLOP coverage"]
    assert texts(found["FLOPs"]) == ["1.00 M", "1.15 M", "+150.00 k", "+15.00 %"]
    assert texts(found["Parameters"]) == ["5.00 k", "6.00 k", "+1.00 k", "+20.00 %"]
    assert texts(found["Nodes"]) == ["4", "4", "0", "0 %"]
    assert found["Nodes"].note == "1 new, 1 removed"
    assert texts(found["FLOP coverage"])[:2] == ["100 %", "100 %"]


def test_cards_say_in_words_what_has_no_difference() -> None:
    base = {"a": {"float_ops": 5, "params": 3}, "b": {"params": 4, "float_ops": 0}}
    head = {"a": {"float_ops": None, "params": 2}, "b": {"params": 5, "float_ops": 0}}
    text = first_screen(report_of(head, base))
    flops = "FLOPs at least 0 exactly at least 0; 1 node unknown lost, from 5"
    assert f"{flops} Parameters 7 unchanged Nodes 2 unchanged 0 new, 0 removed" in text


def test_a_scope_whose_changes_cancel_out_is_not_named() -> None:
    base = {f"{scope}/{op}": {"float_ops": 50} for scope in "abc" for op in ("x", "y")}
    head = {f"{scope}/{op}": {"float_ops": 60 if op == "x" else 40} for scope in "abc" for op in ("x", "y")}
    report = report_of({**head, "d/x": {"float_ops": 9}}, {**base, "d/x": {"float_ops": 5}})
    assert any(not scope.figures for scope in report.highlights.scopes)
    assert all(row.shares for ranking in make_screen(report).rankings for row in ranking.rows)


def test_what_a_change_brought_without_a_figure_is_named_with_a_link() -> None:
    base = {"a/x": {"float_ops": 5}, "a/old": {"float_ops": None}}
    report = report_of({**base, **{f"b/new{at}": {"float_ops": None} for at in range(5)}}, base)
    assert report.comparison is not None
    report = dataclasses.replace(report, uncounted=find_uncounted(report.comparison))
    (found,) = make_screen(report).uncounted
    assert [(name.text, link, op.text) for name, link, op in found.nodes] == [
        (f"b/new{at}", f"#scope=b/new{at}", "Op") for at in range(3)
    ]
    words = "New or changed, and of unknown FLOPs: b/new0 (Op), b/new1 (Op), b/new2 (Op), 2 more."
    assert f"? {words}" in first_screen(report)
    assert f"? {words}" in render_markdown(report).replace("`", "")


def test_exact_figures_are_there_for_screen_readers(report: Report) -> None:
    assert "FLOPs 1.15 M exactly 1,150,000 +150.00 k (+15.00 %) from 1.00 M" in first_screen(report)


def test_time_has_its_number_of_steps_and_their_finding(report: Report) -> None:
    assert cards(report)["Op time"].note == "sum over nodes, of one step; not enough steps"
    rankings = make_screen(report_of({**HEAD, "head/dense": {**HEAD["head/dense"], "micros": 300}}, BASE)).rankings
    assert [ranking.title for ranking in rankings] == ["What changed most", "Where time changed"]
    assert rankings[1].rows[0].name.text == "head"
    assert rankings[1].note == "Time differs from machine to machine, so it only informs."


def test_time_does_not_only_inform_where_a_gate_on_it_can_fail() -> None:
    gate = parse_gate("cpu_micros <= 1s")
    for level, note in ((Level.INFORM, "informs only"), (Level.FAIL, "gated")):
        policy = Policy(gates=(dataclasses.replace(gate, level=level),))
        screen = make_screen(dataclasses.replace(report_of(BASE), policy=policy))
        assert (
            next(card.note for card in screen.cards if card.label == "Op time")
            == f"sum over nodes, of one step; {note}"
        )
    assert screen.rankings[1].note == "Time differs from machine to machine."


def test_without_a_base_the_most_expensive_scopes_are_ranked() -> None:
    screen = make_screen(report_of(BASE))
    assert [(row.name.text, row.shares[0].amount.text, row.shares[0].share) for row in screen.rankings[0].rows] == [
        ("block_1", "500.00 k", "50.00 %"),
        ("block_2", "1.90 k", "38.00 %"),
        ("head", "1.00 k", "20.00 %"),
        ("stem", "100.00 k", "10.00 %"),
    ]
    assert screen.rankings[0].title == "What is most expensive"
    assert [card.base for card in screen.cards] == [None] * len(screen.cards)


def test_the_scopes_named_are_those_of_the_report(report: Report) -> None:
    scopes = report.highlights.scopes
    named = make_screen(dataclasses.replace(report, highlights=Highlights(scopes=scopes[1:]))).rankings
    assert [[row.name.text for row in ranking.rows] for ranking in named] == [[each.name for each in scopes[1:]]]


def test_figures_of_a_run_have_no_cards_without_one() -> None:
    assert list(cards(report_of({"a": {"float_ops": 1}}))) == ["FLOPs", "Parameters", "Nodes", "FLOP coverage"]
    assert cards(report_of({"a": {"float_ops": 1}}))["Parameters"].head.text == "0"
    assert cards(report_of({"a": {"params": None}}))["Parameters"].head.text == "unknown"


def test_coverage_reads_full_only_where_it_is() -> None:
    report = make_report()
    totals = tuple(
        dataclasses.replace(total, known=99_999, capable=100_000) if total.stem == "float_ops" else total
        for total in report.totals
    )
    assert cards(dataclasses.replace(report, totals=totals))["FLOP coverage"].head.text == "99.9 %"


@pytest.mark.parametrize("name", ["a b/100%", "ü/#scope=x&y", "</a>/'\"", "x?y"])
def test_a_link_leads_to_the_row_whatever_its_name(name: str) -> None:
    report = report_of({f"{name}/op": {"float_ops": 1}, "other/op": {"float_ops": 1}})
    links = [row.link for ranking in make_screen(report).rankings for row in ranking.rows]
    assert name in [unquote(link.removeprefix("#scope=")) for link in links]
    assert all(re.fullmatch(r"#scope=[\w.~%/-]+", link) for link in links)


def test_only_options_that_are_not_the_defaults_are_named() -> None:
    assert make_screen(make_report()).options != ()  # the builders use tfprof's options
    options = Options(select=("params", "bytes"), account_displayed_op_only=True)
    measurement = Measurement(options=options, semantics=TFPROF)
    named = [cell.text for cell in make_screen(make_report(measurement=measurement)).options]
    assert "--select params,bytes" in named
    assert "--account-displayed-op-only" in named
    assert "--semantics tfprof" in named
    assert not [text for text in named if text.startswith("--step")]


def test_commits_are_shortened_and_keep_the_full_one() -> None:
    commits = [side.commit for side in make_screen(make_comparison_report()).sides]
    assert [(cell.text, cell.exact) for cell in commits] == [
        ("fedcba987654", "fedcba9876543210fedc"),
        ("0123456789ab", "0123456789abcdef0123"),
    ]
    assert make_screen(make_report(origin=make_origin(commit=None))).sides[0].commit.text == "not given"


def test_inputs_are_named_with_their_sizes_and_the_rest_counted() -> None:
    file = make_origin().inputs[0]
    side = make_screen(make_report(origin=make_origin(inputs=(file,) * 10))).sides[0]
    assert (len(side.files), side.more_files) == (8, 2)
    assert [cell.text for cell in side.files[0]] == ["graph.pb", "2.00 KiB"]


def test_links_lead_to_static_rows_where_no_script_runs(report: Report) -> None:
    html = render_html(report)
    links = [row.link for row in make_screen(report).rankings[0].rows]
    assert links == ["#scope=block_2", "#scope=block_1", "#scope=block_3"]
    # block 2 is removed: tables of head have no row for it
    assert re.findall('<tr id="([^"]+)"', html) == ["scope=block_1", "scope=block_3"]


def test_a_missing_baseline_is_an_outcome_of_its_own() -> None:
    verdict = Verdict(text="NO BASELINE: 2 nodes without a baseline.", outcome=Outcome.NO_BASELINE)
    screen = make_screen(make_report(verdict=verdict))
    assert (screen.status.text, screen.symbol, screen.detail) == ("NO BASELINE", "?", "2 nodes without a baseline.")


def test_that_nothing_was_judged_has_neither_a_tick_nor_the_colour_of_a_result() -> None:
    verdict = Verdict(text="NOT JUDGED: 2 nodes without a baseline, no gates.", outcome=Outcome.NOT_JUDGED)
    screen = make_screen(make_report(verdict=verdict))
    assert (screen.status.text, screen.status.tone, screen.symbol) == ("NOT JUDGED", "neutral", "\N{EN DASH}")
    assert screen.verdict == "Nothing was judged: no gates were set"
    html = render_html(make_report(verdict=verdict))
    assert '<div class="verdict neutral">' in html
    assert "\N{CHECK MARK}" not in html


def test_what_else_there_is_is_folded_below(report: Report) -> None:
    header = render_html(report).partition("</header>")[0]
    assert re.findall(r"<summary>(.*?)</summary>", header) == [
        "All figures of both sides",
        "The verdict in full, with exact figures",
        "What was measured: input files and options",
    ]
    assert '<dl class="cards">' not in header.partition("<details>")[0]


def test_of_one_side_the_figures_and_layers_are_seen_and_the_rest_is_folded() -> None:
    report = with_head(report_of(BASE), layers=layers_of({"conv": {"float_ops": 900}, "fc": {"float_ops": 100}}))
    header = render_html(report).partition("</header>")[0]
    assert re.findall(r"<summary>(.*?)</summary>", header) == [
        "What is most expensive, by scope",
        "Where time goes, by scope",
        "All figures",
        "The verdict in full, with exact figures",
        "What was measured: input files and options",
    ]
    before = header.partition("<details>")[0]
    assert re.findall(r"<dt>(.*?)</dt>", before) == ["FLOPs", "Parameters", "Op time per step"]
    assert "Layers by FLOPs" in before


def test_scopes_are_seen_where_there_are_no_layers() -> None:
    before = render_html(report_of(BASE)).partition("<details>")[0]
    assert "What is most expensive" in before
    assert "What takes it" not in before


def test_a_cause_takes_the_place_of_the_headline(report: Report) -> None:
    screen = make_screen(report)
    assert (screen.cause, screen.reason) == ("", screen.headline)
    assert dataclasses.replace(screen, cause="Block 1 got wider.").reason == "Block 1 got wider."


def test_the_way_on_can_be_copied_and_the_owner_is_code_that_mentions_nobody() -> None:
    gate = parse_gate("params <= +0", owner="@team</code>")
    result = GateResult(gate="params <= +0", status=GateStatus.FAILED, text="why", metric="params", owner=gate.owner)
    verdict = Verdict(text="FAILED: why.", outcome=Outcome.FAILED, gates=(result,))
    found = dataclasses.replace(report_of(HEAD, BASE), policy=Policy(gates=(gate,)), verdict=verdict)
    html = render_html(found)
    command = "tfprof-report accept tfprof-report --reason &#34;why it is meant&#34; --expires 2024-06-01"
    assert f'<code class="command" data-copy>{command}</code>' in html
    assert "Gates are owned by <code>@team&lt;/code&gt;</code>" in html
