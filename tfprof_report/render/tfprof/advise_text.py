"""The findings of advise as tfprof prints them: a section per checker."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tfprof_report.errors import for_terminal
from tfprof_report.render.tfprof.text import UNKNOWN, time_text
from tfprof_report.schema.metrics import Number
from tfprof_report.views.advice.findings import Advice, Finding, Topic

HINTS = {
    Topic.BATCH_NORM: "Maybe use faster FusedBatchNorm instead of BatchNorm",
    Topic.DATA_FORMAT: "Found operation using NHWC data_format on GPU. Maybe NCHW is faster.",
}
"""The text of a topic without figures."""


def advise_text(advice: Iterable[Advice], *, is_terminal: bool = False) -> Iterator[str]:
    """Yield the text of advise, a section per checker; a checker without findings has its heading only.

    For a terminal, control characters of names are escaped.
    """
    line = (lambda finding: for_terminal(finding_text(finding))) if is_terminal else finding_text
    for found in advice:
        yield f"\n{found.checker}:\n"
        for report in found.reports:
            yield "\n".join(map(line, report)) + "\n"


def finding_text(finding: Finding) -> str:
    """Return one finding on one line, as tfprof prints it."""
    match finding.topic:
        case Topic.BATCH_NORM | Topic.DATA_FORMAT:
            return HINTS[finding.topic]
        case Topic.DEVICE:
            step = "" if finding.step is None else f" step: {finding.step}"
            return f"device: {finding.name}{step}{' low' if finding.is_low else ''} utilization: {finding.share:.2f}"
        case Topic.LINE:
            return f"{'  ' * finding.level}{finding.name}, {_times(finding)}"
    percent = "" if finding.percent is None else f" ({finding.percent:.2f}%)"
    return f"top {finding.rank} {finding.topic}: {finding.name}, {_times(finding)}{percent}"


def _times(finding: Finding) -> str:
    words = {"cpu": finding.cpu_micros, "accelerator": finding.accelerator_micros, "total": finding.micros}
    return ", ".join(f"{word}: {_time(micros)}" for word, micros in words.items())


def _time(micros: Number | None) -> str:
    return UNKNOWN if micros is None else time_text(micros)
