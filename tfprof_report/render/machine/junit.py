"""Gates as the test cases of a JUnit report, which Jenkins, GitLab and Azure show as tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from xml.etree import ElementTree as ET

from tfprof_report.compare.gates.context import named
from tfprof_report.compare.gates.policy import Level
from tfprof_report.compare.gates.verdict import GateResult, GateStatus, Outcome
from tfprof_report.errors import one_line
from tfprof_report.formatting import called, shorten
from tfprof_report.report.models import Model

TOOL = "tfprof-report"
COMPARISON = "comparison"
"""The name of a model's case on the comparison as a whole, next to a case per gate."""

_NAME_CHARS = 300
_TEXT_CHARS = 2000

_KINDS = {
    GateStatus.FAILED: "failure",
    GateStatus.INCONCLUSIVE: "error",
    GateStatus.NO_REFERENCE: "skipped",
    GateStatus.SKIPPED: "skipped",
}
_COUNTS = {"failures": "failure", "errors": "error", "skipped": "skipped"}


def render_junit(models: Sequence[Model]) -> str:
    """Return JUnit XML with a suite per model: a case on the comparison as a whole, then a case per gate.

    A failed gate is a failure, an inconclusive one an error; one with nothing to judge is skipped, and so is a gate of
    level inform that does not hold. The case ``comparison`` is an error if the verdict is inconclusive and no gate is
    the reason; it is skipped without a baseline, or if nothing was judged. Names and texts are escaped; the same models
    give the same bytes.
    """
    root = ET.Element("testsuites", name=TOOL)
    for model in models:
        suite = ET.SubElement(root, "testsuite", name=_plain(model.name, _NAME_CHARS))
        seen: Counter[str] = Counter()
        for name, kind, text, body in [_comparison(model), *map(_case, model.verdict.gates)]:
            seen[name] += 1
            unique = f"{name} ({seen[name]})" if seen[name] > 1 else name  # hosts drop the second case of a name
            case = ET.SubElement(
                suite, "testcase", classname=f"{TOOL}.{_plain(model.name, _NAME_CHARS)}", name=unique, time="0"
            )
            _explain(case, kind, text, body)
        _count(suite, [suite])
    _count(root, list(root))
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


_Case = tuple[str, str | None, str, str]
"""A case: its name, the element for its outcome (None if it passed), a sentence, and details."""


def _comparison(model: Model) -> _Case:
    verdict = model.verdict
    is_explained = any(gate.status is GateStatus.INCONCLUSIVE and gate.level is Level.FAIL for gate in verdict.gates)
    kinds = {
        Outcome.INCONCLUSIVE: None if is_explained else "error",
        Outcome.NO_BASELINE: "skipped",
        Outcome.NOT_JUDGED: "skipped",
    }
    return COMPARISON, kinds.get(verdict.outcome), verdict.text, ""


def _case(gate: GateResult) -> _Case:
    kind, text = _KINDS.get(gate.status), gate.text
    if gate.level is Level.INFORM and kind:
        kind, text = "skipped", f"informs only: {gate.status}: {text}"
    elif gate.status is GateStatus.NO_REFERENCE:
        text = f"{gate.status.upper()}: {text}"
    rows = [f"{called(row.name)}: {row.text}" for row in gate.rows if row.name is not None]
    reasons = dict.fromkeys(f"acknowledged: {row.reason}" for row in gate.rows if row.reason)
    return (
        _plain(named(gate), _NAME_CHARS),
        kind,
        text,
        "\n".join(_plain(line, _TEXT_CHARS) for line in (*rows, *reasons)),
    )


def _explain(case: ET.Element, kind: str | None, text: str, body: str) -> None:
    """Add the outcome of a case; a case that passed has its sentence and details as output."""
    message = _plain(text, _TEXT_CHARS)
    if kind is None:
        ET.SubElement(case, "system-out").text = "\n".join(filter(None, (message, body)))
        return
    found = ET.SubElement(case, kind, message=message)
    if kind != "skipped":
        found.set("type", "gate")
        found.text = body or message


def _count(element: ET.Element, suites: Sequence[ET.Element]) -> None:
    cases = [case for suite in suites for case in suite.iter("testcase")]
    element.set("tests", str(len(cases)))
    for name, kind in _COUNTS.items():
        element.set(name, str(sum(case.find(kind) is not None for case in cases)))
    element.set("time", "0")


def _plain(text: str, most: int) -> str:
    """Return text on one line, shortened: XML allows no control characters, not even as references."""
    return shorten(one_line(text), most)
