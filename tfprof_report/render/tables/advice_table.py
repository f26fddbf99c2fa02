"""The findings of advise as a table of a report."""

from __future__ import annotations

from collections.abc import Iterable

from tfprof_report.render.tables.cells import ABSENT, Cell, Column, Row, Table, name_cell, number_cell, text_cell
from tfprof_report.render.tfprof.advise_text import HINTS
from tfprof_report.schema.metrics import Unit
from tfprof_report.views.advice.findings import Advice, Finding


def advice_table(advice: Iterable[Advice]) -> Table:
    """Return a row per finding, in the order of the checkers: what takes most time, idle devices, hints."""
    advice = tuple(advice)
    figures = ("CPU time", "Accelerator time", "Time")
    return Table(
        caption="What takes most time, and what to look at",
        columns=(
            Column("About"),
            Column("What"),
            *(Column(label, is_number=True) for label in figures),
            Column("Share"),
        ),
        rows=tuple(_row(finding) for found in advice for report in found.reports for finding in report),
        notes=tuple(f"{note}." for found in advice for note in found.notes),
    )


def _row(finding: Finding) -> Row:
    if finding.topic in HINTS:
        return (text_cell(finding.topic), text_cell(HINTS[finding.topic]), ABSENT, ABSENT, ABSENT, ABSENT)
    about = str(finding.topic) if finding.step is None else f"{finding.topic}, step {finding.step}"
    what = name_cell(finding.name, depth=finding.level)
    if finding.share is not None:
        busy = text_cell(f"busy {100 * finding.share:.0f} %", "up" if finding.is_low else "")
        return (text_cell(about), what, ABSENT, ABSENT, ABSENT, busy)
    times = (finding.cpu_micros, finding.accelerator_micros, finding.micros)
    return (text_cell(about), what, *(number_cell(time, Unit.MICROS) for time in times), _share(finding))


def _share(finding: Finding) -> Cell:
    return ABSENT if finding.percent is None else text_cell(f"{finding.percent:.2f} %")
