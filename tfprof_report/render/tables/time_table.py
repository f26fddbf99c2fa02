"""The median step times of both sides as a table, with the result of a rank test."""

from __future__ import annotations

from collections.abc import Sequence

from tfprof_report.compare.comparison import State, TimeChange, TimeFinding
from tfprof_report.compare.step_times import MIN_STEPS, SIGNIFICANT
from tfprof_report.formatting import label_of
from tfprof_report.render.tables.cells import ABSENT, Cell, Column, Table, number_cell, percent_cell, text_cell
from tfprof_report.schema.metrics import Unit

TIME_TEXT = (
    "Medians over steps; spread is from the lower to the upper quartile. A time is slower or faster only if a rank "
    f"test (Mann-Whitney, two-sided) gives p < {SIGNIFICANT}. Fewer than {MIN_STEPS} steps on a side are not enough. "
    "The test cannot tell a slower model from a slower or busier machine."
)

_TONES = {TimeFinding.SLOWER: "up", TimeFinding.FASTER: "down"}


def time_table(times: Sequence[TimeChange]) -> Table:
    """Return a row per time; a time that is 0 on both sides is left out."""
    return Table(
        caption="Time over steps, base against head",
        columns=(
            Column("Figure"),
            Column("Finding"),
            Column("p", is_number=True),
            *(
                Column(label, group, is_number=True)
                for group in ("Base", "Head")
                for label in ("Steps", "Median", "Spread")
            ),
            Column("Change", is_number=True),
        ),
        rows=tuple(
            (
                text_cell(label_of(change.stem)),
                text_cell(change.finding, _TONES.get(change.finding, "")),
                _p_value(change.p_value),
                *(
                    cell
                    for side in (change.base, change.head)
                    for cell in (
                        Cell(f"{side.steps:,}", key=str(side.steps)),
                        number_cell(side.median, Unit.MICROS),
                        number_cell(side.spread, Unit.MICROS) if side.steps > 1 else ABSENT,
                    )
                ),
                percent_cell(change.percent, State.NEW_FROM_ZERO),
            )
            for change in times
            if change.base.median or change.head.median
        ),
    )


def _p_value(p_value: float | None) -> Cell:
    if p_value is None:
        return text_cell("")
    return Cell(f"{p_value:.3f}" if p_value >= 0.001 else "<0.001", key=repr(p_value))  # noqa: PLR2004 (three decimals)
