"""JUnit XML, read by a strict parser and validated by a schema that Jenkins and Surefire agree on."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judged_models import HOSTILE, make_gate, make_model, make_rows
from lxml import etree

from tfprof_report.compare.gates.policy import Level, Subject
from tfprof_report.compare.gates.verdict import GateStatus, JudgedRow, Outcome, Verdict
from tfprof_report.render.machine.junit import COMPARISON, render_junit
from tfprof_report.report.models import Model

SCHEMA = etree.XMLSchema(file=str(Path(__file__).with_name("junit.xsd")))


def read(*models: Model) -> etree._Element:
    """Return the root of the report, after checks against the schema and of its counts."""
    root = etree.fromstring(render_junit(models).encode())
    SCHEMA.assertValid(root)
    for element in (root, *root):
        cases = list(element.iter("testcase"))
        found = {kind: sum(case.find(kind) is not None for case in cases) for kind in ("failure", "error", "skipped")}
        assert {key: int(element.get(key) or -1) for key in ("tests", "failures", "errors", "skipped")} == {
            "tests": len(cases),
            "failures": found["failure"],
            "errors": found["error"],
            "skipped": found["skipped"],
        }
    return root


def outcomes(root: etree._Element) -> dict[str | None, str]:
    return {case.get("name"): str(case[0].tag) for case in root.iter("testcase")}


def test_there_is_a_case_per_gate_after_one_on_the_comparison() -> None:
    gates = [make_gate(f"params <= {place}", status) for place, status in enumerate(GateStatus)]
    root = read(make_model(*gates, outcome=Outcome.FAILED))
    assert outcomes(root) == {
        COMPARISON: "system-out",
        "params <= 0": "system-out",
        "params <= 1": "failure",
        "params <= 2": "error",
        "params <= 3": "system-out",
        "params <= 4": "skipped",
        "params <= 5": "skipped",
    }
    (message,) = [case[0].get("message") for case in root.iter("testcase") if case.get("name") == "params <= 5"]
    assert str(message).startswith("NO REFERENCE: ")
    assert [suite.get("name") for suite in root] == ["resnet50"]
    assert {case.get("classname") for case in root.iter("testcase")} == {"tfprof-report.resnet50"}


@pytest.mark.parametrize("status", [GateStatus.FAILED, GateStatus.INCONCLUSIVE])
def test_a_gate_that_informs_is_skipped_with_the_reason_where_it_does_not_hold(status: GateStatus) -> None:
    root = read(make_model(make_gate(status=status, level=Level.INFORM)))
    (skipped,) = root.iter("skipped")
    assert skipped.get("message") == f"informs only: {status}: 10 -> 12 (+2, +20.00 %)"


def test_a_failure_names_its_rows_a_line_each() -> None:
    gate = make_gate(
        status=GateStatus.FAILED, subject=Subject.NODE, glob="enc/**", rows=make_rows("enc/a", "enc/b"), failed=2
    )
    (failure,) = read(make_model(gate, outcome=Outcome.FAILED)).iter("failure")
    assert failure.text == "enc/a: row 0\nenc/b: row 1"
    parent = failure.getparent()
    assert parent is not None
    assert parent.get("name") == "params <= +0 (node enc/**)"


def test_an_acknowledged_gate_passes_and_says_why() -> None:
    row = JudgedRow(name=None, status=GateStatus.ACKNOWLEDGED, reason="wider on purpose")
    (_, out) = read(make_model(make_gate(status=GateStatus.ACKNOWLEDGED, rows=(row,)))).iter("system-out")
    assert out.text == "10 -> 12 (+2, +20.00 %)\nacknowledged: wider on purpose"


def test_nothing_comparable_is_an_error_without_any_gate() -> None:
    assert outcomes(read(make_model(outcome=Outcome.INCONCLUSIVE))) == {COMPARISON: "error"}
    explained = read(make_model(make_gate(status=GateStatus.INCONCLUSIVE), outcome=Outcome.INCONCLUSIVE))
    assert outcomes(explained) == {COMPARISON: "system-out", "params <= +0": "error"}
    informs = make_gate(status=GateStatus.INCONCLUSIVE, level=Level.INFORM)
    assert outcomes(read(make_model(informs, outcome=Outcome.INCONCLUSIVE)))[COMPARISON] == "error"


def test_without_a_baseline_the_comparison_is_skipped() -> None:
    missing = Verdict(text="NO BASELINE: why.", outcome=Outcome.NO_BASELINE)
    assert outcomes(read(make_model(verdict=missing))) == {COMPARISON: "skipped"}


def test_where_nothing_was_judged_no_case_passes() -> None:
    assert outcomes(read(make_model(outcome=Outcome.NOT_JUDGED))) == {COMPARISON: "skipped"}
    gates = (
        make_gate("bytes <= 1", GateStatus.SKIPPED),
        make_gate("micros <= 1", GateStatus.FAILED, level=Level.INFORM),
    )
    root = read(make_model(*gates, outcome=Outcome.NOT_JUDGED))
    assert outcomes(root) == dict.fromkeys((COMPARISON, "bytes <= 1", "micros <= 1"), "skipped")
    assert next(root.iter("skipped")).get("message") == "NOT JUDGED: why."


def test_gates_of_the_same_text_have_names_of_their_own() -> None:
    root = read(make_model(make_gate(), make_gate(), make_gate(COMPARISON)))
    assert list(outcomes(root)) == [COMPARISON, "params <= +0", "params <= +0 (2)", f"{COMPARISON} (2)"]


def test_several_models_are_suites() -> None:
    root = read(
        make_model(name="one"), make_model(make_gate(status=GateStatus.FAILED), name="two", outcome=Outcome.FAILED)
    )
    assert [(suite.get("name"), suite.get("failures")) for suite in root] == [("one", "0"), ("two", "1")]
    assert root.get("tests") == "3"


def test_hostile_names_are_text() -> None:
    gate = make_gate(HOSTILE, GateStatus.FAILED, text=HOSTILE, subject=Subject.NODE, rows=make_rows(HOSTILE))
    root = read(make_model(gate, name=HOSTILE, verdict=Verdict(text=HOSTILE, outcome=Outcome.FAILED, gates=(gate,))))
    (failure,) = root.iter("failure")
    assert "</failure>]]>&\"'\\r\\n\\t\\x00\\x1b\\u202e\\ufffe\\ud800" in (failure.text or "")
    assert len(etree.tostring(root)) < 20_000


@given(st.text(max_size=40), st.text(max_size=40), st.sampled_from(GateStatus))
def test_any_text_is_xml(name: str, text: str, status: GateStatus) -> None:
    read(make_model(make_gate(name, status, text=text, rows=make_rows(text)), name=name))
