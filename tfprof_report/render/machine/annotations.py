"""Failed and inconclusive gates as annotations of a CI run: lines of standard output that code hosts highlight.

A host shows ten of a kind per step, so there are at most ten lines: the worst first; the last one counts the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import IntEnum

from tfprof_report.compare.gates.context import named
from tfprof_report.compare.gates.policy import Level
from tfprof_report.compare.gates.verdict import GateResult, GateStatus, Outcome
from tfprof_report.errors import log_line
from tfprof_report.formatting import called, plural, shorten
from tfprof_report.record import record
from tfprof_report.report.models import Model
from tfprof_report.vocabulary import Annotations

MOST = 10
"""Maximum annotations of a run."""

_TITLE_CHARS = 200
_TEXT_CHARS = 1000
"""Maximum characters. GitHub cuts a message at 4,096 characters and shows its first few lines."""

_GITHUB = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_GITHUB_PROPERTY = _GITHUB | str.maketrans({":": "%3A", ",": "%2C"})
_AZURE = str.maketrans({"%": "%AZP25", "\r": "%0D", "\n": "%0A", ";": "%3B", "]": "%5D"})


class _Weight(IntEnum):
    """The severity of a line, the most severe first."""

    ERROR = 0
    WARNING = 1
    NOTICE = 2


_OF_OUTCOMES = {
    Outcome.INCONCLUSIVE: _Weight.WARNING,
    Outcome.NO_BASELINE: _Weight.NOTICE,
    Outcome.NOT_JUDGED: _Weight.NOTICE,
}
"""How severe an outcome is by itself; a failed one always has a gate that failed."""


@record
class _Finding:
    """The content of a line. `rank` is the place among the rows of its gate; `hidden` counts failed rows not listed."""

    weight: _Weight
    rank: int
    title: str
    text: str
    hidden: int = 0


def render_annotations(models: Sequence[Model], host: Annotations) -> str:
    """Return at most ten lines for `host`: the worst row of each gate that does not hold, then the second of each.

    A gate of level fail is an error if it failed and a warning if it is inconclusive; a failed gate of level inform is
    a notice, and so is a report without a baseline or one in which nothing was judged. The tenth line counts what is
    left. Without findings the text is empty.
    """
    if host is Annotations.NONE:
        return ""
    found = [finding for model in models for finding in _findings(model, has_name=len(models) > 1)]
    found.sort(key=lambda finding: (finding.weight, finding.rank))
    hidden = sum(finding.hidden for finding in found)
    if len(found) + hidden > MOST:
        rest = found[MOST - 1 :]
        more = plural(len(rest) + hidden, "more finding")
        weight = min(finding.weight for finding in found if finding in rest or finding.hidden)
        text = f"{more}: see the report"
        found = [*found[: MOST - 1], _Finding(weight=weight, rank=0, title="tfprof-report", text=text)]
    line = _github_line if host is Annotations.GITHUB else _azure_line
    return "".join(f"{line(finding)}\n" for finding in found)


def _findings(model: Model, *, has_name: bool) -> Iterator[_Finding]:
    """Yield the findings of a model's gates, then its outcome if neither a gate explains it nor all is well."""
    of = f"{model.name}: " if has_name else ""
    weights = []
    for gate in model.verdict.gates:
        weight = _weight(gate)
        if weight is not None:
            weights.append(weight)
            yield from _findings_of(gate, weight, of)
    outcome = model.verdict.outcome
    weight = _OF_OUTCOMES.get(outcome)
    if weight is _Weight.NOTICE or (weight is _Weight.WARNING and weight not in weights):
        yield _Finding(weight=weight, rank=0, title=f"{of}{outcome}", text=model.verdict.text)


def _weight(gate: GateResult) -> _Weight | None:
    weights = {GateStatus.FAILED: _Weight.ERROR, GateStatus.INCONCLUSIVE: _Weight.WARNING}
    if gate.level is Level.INFORM:
        return _Weight.NOTICE if gate.status is GateStatus.FAILED else None
    return weights.get(gate.status)


def _findings_of(gate: GateResult, weight: _Weight, of: str) -> Iterator[_Finding]:
    rows = [row for row in gate.rows if row.status is gate.status and row.name is not None]
    if not rows:
        yield _Finding(weight=weight, rank=0, title=f"{of}{named(gate)}", text=gate.text)
    hidden = max(gate.failed - len(rows), 0) if rows else 0
    for rank, row in enumerate(rows):
        text = f"{called(row.name or '')}: {row.text}{f', {gate.reference.words}' if gate.reference else ''}"
        title = f"{of}{named(gate)}"
        yield _Finding(weight=weight, rank=rank, title=title, text=text, hidden=0 if rank else hidden)


def _github_line(finding: _Finding) -> str:
    title, text = _plain(finding)
    word = finding.weight.name.lower()
    return f"::{word} title={title.translate(_GITHUB_PROPERTY)}::{text.translate(_GITHUB)}"


def _azure_line(finding: _Finding) -> str:
    """Return the line for Azure, which has no notices: they become warnings, which do not change a result either."""
    kind = "error" if finding.weight is _Weight.ERROR else "warning"
    return f"##vso[task.logissue type={kind}]{': '.join(_plain(finding)).translate(_AZURE)}"


def _plain(finding: _Finding) -> tuple[str, str]:
    """Return title and text, each on one line and shortened."""
    return shorten(log_line(finding.title), _TITLE_CHARS), shorten(log_line(finding.text), _TEXT_CHARS)
