"""Gates as the cases of a JUnit report, which Jenkins, GitLab and Azure show as tests."""

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
"""The case that a model has beside its gates: what holds whatever they say."""

_NAME_CHARS = 300
_TEXT_CHARS = 2000

_KINDS = {GateStatus.FAILED: "failure", GateStatus.INCONCLUSIVE: "error", GateStatus.SKIPPED: "skipped"}
_COUNTS = {"failures": "failure", "errors": "error", "skipped": "skipped"}


def render_junit(models: Sequence[Model]) -> str:
    """Return JUnit XML with a suite per model: a case per gate, after one on the comparison as a whole.

    A gate that failed is a failure, an inconclusive one an error; one with nothing to judge is skipped, and so is one
    that informs and does not hold. The case ``comparison`` is an error where the verdict is inconclusive and no gate
    is the reason, and skipped without a baseline. Names and texts are escaped; the same models give the same bytes.
    """
    root = ET.Element("testsuites", name=TOOL)
    for model in models:
        suite = ET.SubElement(root, "testsuite", name=_plain(model.name, _NAME_CHARS))
        seen: Counter[str] = Counter()
        for name, kind, text, body in [_comparison(model), *map(_case, model.verdict.gates)]:
            seen[name] += 1
            unique = f"{name} ({seen[name]})" if seen[name] > 1 else name  # hosts drop the second of a name
            case = ET.SubElement(
                suite, "testcase", classname=f"{TOOL}.{_plain(model.name, _NAME_CHARS)}", name=unique, time="0"
            )
            _explain(case, kind, text, body)
        _count(suite, [suite])
    _count(root, list(root))
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


_Case = tuple[str, str | None, str, str]
"""A case: its name, the element that says what is wrong, in a sentence, and in more words."""


def _comparison(model: Model) -> _Case:
    verdict = model.verdict
    is_explained = any(gate.status is GateStatus.INCONCLUSIVE and gate.level is Level.FAIL for gate in verdict.gates)
    kinds = {Outcome.INCONCLUSIVE: None if is_explained else "error", Outcome.NO_BASELINE: "skipped"}
    return COMPARISON, kinds.get(verdict.status), verdict.text, ""


def _case(gate: GateResult) -> _Case:
    kind, text = _KINDS.get(gate.status), gate.text
    if gate.level is Level.INFORM and kind:
        kind, text = "skipped", f"informs only: {gate.status}: {text}"
    rows = [f"{called(row.name)}: {row.text}" for row in gate.rows if row.name is not None]
    reasons = dict.fromkeys(f"acknowledged: {row.reason}" for row in gate.rows if row.reason)
    return (
        _plain(named(gate), _NAME_CHARS),
        kind,
        text,
        "\n".join(_plain(line, _TEXT_CHARS) for line in (*rows, *reasons)),
    )


def _explain(case: ET.Element, kind: str | None, text: str, body: str) -> None:
    """Say what is wrong with a case; of one that passed, the sentence goes to its output."""
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
    """Return text on one line: XML takes no control characters, whether or not they are escaped."""
    return shorten(one_line(text), most)
