"""Which sections a report has, and what each of them shows."""

from __future__ import annotations

import dataclasses
from fractions import Fraction

import pytest
from report_builders import make_comparison_report, make_report
from scopes import Nodes, report_of

from tfprof_report.compare.gates.policy import Policy
from tfprof_report.compare.gates.verdict import AcknowledgedChange, AcknowledgedStatus, Outcome, Verdict
from tfprof_report.compare.step_times import compare_step_times
from tfprof_report.ingest.origin import InputFile, Origin
from tfprof_report.model.parts.peak_kinds import BufferKind
from tfprof_report.render.content.sections import SECTIONS, Section, make_sections, title_of
from tfprof_report.render.html.page import LIMITS
from tfprof_report.report.at_peak import AtPeak, Held
from tfprof_report.report.report import Report
from tfprof_report.views.build_view import VIEWS

BASE: Nodes = {"net/a": {"float_ops": 100, "params": 10}, "net/b": {"float_ops": 50, "params": 5}}
HEAD: Nodes = {"net/a": {"float_ops": 160, "params": 10}, "net/b": {"float_ops": 40, "params": 5}}


def sections(report: Report) -> dict[str, Section]:
    return {section.kind.anchor: section for section in make_sections(report, LIMITS)}


def test_every_section_has_an_anchor_and_a_place_in_markdown_of_its_own() -> None:
    assert len({kind.anchor for kind in SECTIONS}) == len(SECTIONS)
    assert sorted(kind.place_in_markdown for kind in SECTIONS) == list(range(1, len(SECTIONS) + 1))


def test_every_view_has_a_section() -> None:
    assert {kind.view for kind in SECTIONS if kind.view} == set(VIEWS)


def test_growth_improvements_and_reasons_are_sections_of_their_own() -> None:
    found = sections(report_of(HEAD, BASE))
    assert [table.caption for table in found["changes"].tables] == ["FLOPs: nodes that grew most"]
    assert [table.caption for table in found["improvements"].tables] == ["FLOPs: nodes that shrank most"]
    assert [table.caption for table in found["why"].tables] == [
        "FLOPs: the scopes that carry the change",
        "FLOPs: what changed in a node",
    ]


def test_equal_sides_have_nothing_to_explain() -> None:
    found = sections(report_of(BASE, BASE))
    assert found["changes"].text == ("No node's FLOPs, parameters or requested memory grew.",)
    assert not {"improvements", "why", "time", "renames", "acknowledged"} & found.keys()


def test_a_report_on_one_side_has_no_section_of_changes() -> None:
    assert not {"changes", "improvements", "why", "time", "renames", "view-changes"} & sections(make_report()).keys()


def test_what_is_folded_is_a_note_of_the_table_or_a_sentence_where_there_is_none() -> None:
    report = report_of(HEAD, BASE)
    folded = (
        (
            "FLOPs: 1 node changed by less than 10 % of base's total each, the largest \N{MINUS SIGN}10 (net/b); "
            "diff_nodes.parquet has them."
        ),
    )
    movers = tuple(
        dataclasses.replace(each, shrunk=(), shrunk_count=0, folded_count=1, largest_folded=each.shrunk[0])
        for each in report.movers
    )
    report = dataclasses.replace(report, movers=movers, policy=Policy(threshold=Fraction(10)))
    assert sections(report)["changes"].tables[0].notes == folded
    alone = tuple(dataclasses.replace(each, grown=(), grown_count=0) for each in movers)
    assert sections(dataclasses.replace(report, movers=alone))["changes"].text[1:] == folded


def test_a_fall_of_a_total_alone_is_an_improvement_too() -> None:
    report = report_of({"net/a": {"micros": 3}}, {"net/a": {"micros": 5}})
    assert report.comparison is not None
    times = (compare_step_times("micros", [5] * 4, [3] * 4),)
    report = dataclasses.replace(report, comparison=dataclasses.replace(report.comparison, times=times))
    assert sections(report)["improvements"].text[0].startswith("Totals that fell: Op time \N{MINUS SIGN}40.00 %")
    assert sections(report)["time"].tables[0].rows[0][1].text == "faster"


def test_accepted_changes_have_a_section_whether_or_not_they_hold() -> None:
    accepted = AcknowledgedChange(
        metric="params",
        node="a/**",
        value=5,
        base=3,
        head=6,
        reason="wider",
        expires="2026-10-01",
        status=AcknowledgedStatus.EXPIRED,
        text="why",
    )
    verdict = Verdict(text="OK: why.", outcome=Outcome.OK, acknowledged=(accepted,))
    (table,) = sections(make_report(verdict=verdict))["acknowledged"].tables
    assert [cell.text for cell in table.rows[0]][:2] == ["a/**", "Parameters"]


def test_what_holds_the_peak_is_a_section_if_it_is_known() -> None:
    held = Held(kind=BufferKind.ACTIVATIONS, name="net/a", base=None, head=5)
    known = AtPeak(
        device="/cpu:0", step=1, micros=None, peak=5, base_peak=None, kinds=(held,), holders=(held,), holder_count=1
    )
    section = sections(make_report(at_peak=known))["peak"]
    assert [table.caption for table in section.tables] == [
        "What holds the memory at the peak",
        "Nodes at the peak, largest first",
    ]
    assert "peak" not in sections(make_report())
    without = "What base holds at its peak is not known: it lacks the device, or allocation records of it."
    assert without not in section.text
    assert sections(make_comparison_report(at_peak=known))["peak"].text[-1] == without


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("logs/plugins/profile/RUN/vm.xplane.pb", "logs"),
        ("/a/b/plugins/profile/RUN/vm.xplane.pb.gz", "/a/b"),
        ("plugins/profile/RUN/vm.xplane.pb", "plugins/profile/RUN"),
        ("runs/vm.xplane.pb", "runs"),
        ("vm.xplane.pb", "vm.xplane.pb"),
    ],
)
def test_a_model_without_a_graph_has_the_name_of_its_log_directory(path: str, title: str) -> None:
    trace = InputFile(role="xplane", path=path, form="binary", size_bytes=1, sha256="")
    assert title_of(Origin(inputs=(trace,))) == title
