"""Annotations: at most ten lines, the worst first, and nothing in a name becomes a command."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judged_models import HOSTILE, make_gate, make_model, make_rows

from tfprof_report.compare.gates.policy import Level, Subject
from tfprof_report.compare.gates.verdict import GateStatus, Outcome, Verdict
from tfprof_report.render.machine.annotations import MOST, render_annotations
from tfprof_report.vocabulary import Annotations

FAILED, OPEN = GateStatus.FAILED, GateStatus.INCONCLUSIVE


def github(*models: object) -> list[str]:
    return render_annotations(models, Annotations.GITHUB).splitlines()


def azure(*models: object) -> list[str]:
    return render_annotations(models, Annotations.AZURE).splitlines()


def test_what_holds_says_nothing() -> None:
    gates = [make_gate(status=status) for status in (GateStatus.PASSED, GateStatus.SKIPPED, GateStatus.ACKNOWLEDGED)]
    assert render_annotations([make_model(*gates)], Annotations.GITHUB) == ""


def test_a_failed_gate_is_an_error_an_open_one_a_warning_and_one_that_informs_a_notice() -> None:
    gates = (
        make_gate("micros <= +0", FAILED, level=Level.INFORM),
        make_gate("bytes <= +1%", OPEN, text="bytes of base is unknown"),
        make_gate("params <= +0", FAILED),
        make_gate("run_count <= +0", OPEN, level=Level.INFORM),
    )
    model = make_model(*gates, outcome=Outcome.FAILED)
    assert github(model) == [
        "::error title=params <= +0::10 -> 12 (+2, +20.00 %25)",
        "::warning title=bytes <= +1%25::bytes of base is unknown",
        "::notice title=micros <= +0::10 -> 12 (+2, +20.00 %25)",
    ]
    assert azure(model) == [
        "##vso[task.logissue type=error]params <= +0: 10 -> 12 (+2, +20.00 %AZP25)",
        "##vso[task.logissue type=warning]bytes <= +1%AZP25: bytes of base is unknown",
        "##vso[task.logissue type=warning]micros <= +0: 10 -> 12 (+2, +20.00 %AZP25)",
    ]


def test_the_worst_row_of_each_gate_comes_before_the_second_of_any() -> None:
    rows = {"subject": Subject.NODE, "glob": "**", "failed": 2}
    gates = (
        make_gate("params <= +0", FAILED, rows=make_rows("a", "b"), **rows),
        make_gate("macs <= +0", FAILED, rows=make_rows("c", "d"), **rows),
    )
    assert github(make_model(*gates, outcome=Outcome.FAILED)) == [
        "::error title=params <= +0 (node **)::a: row 0",
        "::error title=macs <= +0 (node **)::c: row 0",
        "::error title=params <= +0 (node **)::b: row 1",
        "::error title=macs <= +0 (node **)::d: row 1",
    ]


def test_rows_that_hold_are_not_named() -> None:
    rows = (*make_rows("bad"), *make_rows("good", status=GateStatus.PASSED))
    gate = make_gate(status=FAILED, rows=rows, failed=1, subject=Subject.OP, glob="*")
    assert len(github(make_model(gate, outcome=Outcome.FAILED))) == 1


@pytest.mark.parametrize(("count", "lines", "rest"), [(10, 10, None), (11, 10, 2), (300, 10, 291)])
def test_beyond_ten_the_last_line_counts_the_rest(count: int, lines: int, rest: int | None) -> None:
    rows = make_rows(*(f"n{place}" for place in range(min(count, 10))))
    gate = make_gate(status=FAILED, subject=Subject.NODE, glob="**", failed=count, rows=rows)
    found = github(make_model(gate, outcome=Outcome.FAILED))
    assert len(found) == lines == MOST
    last = f"::error title=tfprof-report::{rest} more findings: see the report"
    assert found[-1] == (last if rest else "::error title=params <= +0 (node **)::n9: row 9")


def test_the_last_line_is_as_severe_as_the_worst_finding_that_it_counts() -> None:
    failed = [make_gate(f"params <= {place}", FAILED) for place in range(9)]
    still_open = [make_gate(f"macs <= {place}", OPEN) for place in range(2)]
    found = github(make_model(*still_open, *failed, outcome=Outcome.FAILED))
    assert [line.split()[0] for line in found] == ["::error"] * 9 + ["::warning"]
    assert found[-1].endswith("::2 more findings: see the report")


def test_models_are_named_where_there_are_several() -> None:
    models = [make_model(make_gate(status=FAILED), name=name, outcome=Outcome.FAILED) for name in ("one", "two")]
    assert [line.partition("::10")[0] for line in github(*models)] == [
        "::error title=one%3A params <= +0",
        "::error title=two%3A params <= +0",
    ]


def test_an_outcome_without_a_gate_behind_it_is_reported() -> None:
    assert github(make_model(outcome=Outcome.INCONCLUSIVE)) == ["::warning title=inconclusive::INCONCLUSIVE: why."]
    missing = Verdict(text="NO BASELINE: why.", outcome=Outcome.NO_BASELINE)
    assert github(make_model(verdict=missing)) == ["::notice title=no baseline::NO BASELINE: why."]
    unjudged = make_model(make_gate(status=GateStatus.SKIPPED), outcome=Outcome.NOT_JUDGED)
    assert github(unjudged) == ["::notice title=not judged::NOT JUDGED: why."]
    assert azure(unjudged) == ["##vso[task.logissue type=warning]not judged: NOT JUDGED: why."]
    assert len(github(make_model(make_gate(status=OPEN), outcome=Outcome.INCONCLUSIVE))) == 1


def test_a_hostile_name_stays_within_its_line_and_is_no_command() -> None:
    gate = make_gate(HOSTILE, FAILED, subject=Subject.NODE, glob=HOSTILE, failed=1, rows=make_rows(HOSTILE))
    model = make_model(gate, name=HOSTILE, outcome=Outcome.FAILED)
    (line,) = github(model, make_model(name="other"))
    assert re.fullmatch(r"::error title=[^:,\r\n]*::[^\r\n]*", line)
    assert len(line) < 4096
    (line,) = azure(model)
    assert line.count("##vso[") == 1
    assert "]" not in line.partition("]")[2]
    assert line.isprintable()


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_text_is_one_command_from_which_the_host_reads_the_same_text(title: str, text: str) -> None:
    model = make_model(make_gate(title, FAILED, text=text), outcome=Outcome.FAILED)
    (line,) = render_annotations([model], Annotations.GITHUB).split("\n")[:-1]
    read = re.fullmatch(r"::error title=([^,:]*)::(.*)", line)
    assert read
    assert "\r" not in line
    for code in re.findall("%..", read[1] + read[2]):
        assert code in {"%25", "%3A", "%2C"}
    (line,) = render_annotations([model], Annotations.AZURE).split("\n")[:-1]
    assert re.fullmatch(r"##vso\[task\.logissue type=error\][^];]*", line)
