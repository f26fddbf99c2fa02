"""The line of a figure over commits as SVG: steps, releases, budgets, gaps, breaks and what is not known."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from markupsafe import Markup

from tfprof_report.arrays import Bools, Floats, Ints, to_ints
from tfprof_report.compare.gates.verdict import Outcome
from tfprof_report.formatting import format_number, label_of, normalise, plural, unit_of
from tfprof_report.history.history_data import Line, ModelHistory
from tfprof_report.history.in_order import COMMIT_NUMBER, ERA
from tfprof_report.record import record
from tfprof_report.render.history.history_words import commit_of, day_of, short, step_words
from tfprof_report.render.html.svg import BLUE, GREY, ORANGE, Picture, fit, label, picture, shape, width_of

WIDTH, HEIGHT = 960, 200
_LEFT, _RIGHT, _TOP = 84, 16, 24
_GROUND = HEIGHT - 26
"""Where the axis of commits is."""
_MARGIN = 0.08
"""Share of the range of values that is left free above and below."""
_GAP = 3
"""A gap is longer than this many times the usual distance of two reports, in commits."""
_MOST_POINTS = 150
"""Most points that are shapes of their own; of more reports only those at steps are."""
_FAR = 1.5
"""A budget is drawn if it is at most this many times the highest figure; otherwise the text names it."""
RED = "#d1495b"
"""Colour of limits and of what is beyond them, medium bright as the others."""


@record
class _Chart:
    """What is drawn: a figure by row with the commit's number, and the range of both in the picture."""

    model: ModelHistory
    line: Line
    numbers: Ints
    values: Floats
    known: Bools
    low: float
    high: float

    def x(self, number: Any) -> Any:
        """Return where a commit is."""
        first, last = self.numbers[0], self.numbers[-1]
        return _LEFT + (number - first) / max(last - first, 1) * (WIDTH - _LEFT - _RIGHT)

    def y(self, value: Any) -> Any:
        """Return where a value is."""
        return _GROUND - (value - self.low) / (self.high - self.low) * (_GROUND - _TOP)

    def named(self, row: int) -> str:
        """Return the commit of a row and its day."""
        return f"{short(commit_of(self.model, row))}, {day_of(self.model, row)}"


def draw_line(model: ModelHistory, line: Line, *, anchor: str, link: Callable[[int], str]) -> Picture:
    """Return the picture of a figure of a model that has reports.

    `link` returns the address of the report of a row, empty if there is none.
    """
    chart = _chart(model, line)
    shapes = [
        *_axes(chart),
        *_releases(chart),
        *_breaks(chart),
        *_budgets(chart),
        *_levels(chart),
        *_path(chart),
        *_points(chart, link),
        *_unknown(chart),
    ]
    title = label_of(line.stem)
    return picture(shapes, anchor=anchor, title=title, text=_text(chart), width=WIDTH, height=HEIGHT, is_wide=True)


def _chart(model: ModelHistory, line: Line) -> _Chart:
    column = model.rows[line.stem].combine_chunks()
    known = column.is_valid().to_numpy(zero_copy_only=False)
    values = column.to_numpy(zero_copy_only=False).astype(np.float64)
    low, high = (float(values[known].min()), float(values[known].max())) if known.any() else (0.0, 1.0)
    limits = [float(budget.most) for budget in line.budgets if float(budget.most) <= _FAR * high]
    low, high = min([low, *limits]), max([high, *limits])
    margin = (high - low or abs(high) or 1.0) * _MARGIN
    return _Chart(
        model=model,
        line=line,
        numbers=to_ints(model.rows[COMMIT_NUMBER]),
        values=values,
        known=known,
        low=low - margin,
        high=high + margin,
    )


def _text(chart: _Chart) -> str:
    """Return the caption: what the line is, and what it does not show."""
    line, count = chart.line, int(chart.known.sum())
    missing = len(chart.known) - count
    words = [f"{plural(count, 'report')}, {plural(len(line.moves.steps), 'step')}"]
    if line.moves.is_noisy:
        words.append("it varies without a change of the model: the wide line is the median of a level")
    if missing:
        words.append(f"not wholly known in {plural(missing, 'report')} (triangles at the bottom)")
    words += [f"the budget {each.text} is above the picture" for each in line.budgets if each.most > chart.high]
    return f"{'; '.join(words)}."


def _axes(chart: _Chart) -> Iterator[Markup]:
    unit, margin = unit_of(chart.line.stem), (chart.high - chart.low) * _MARGIN / (1 + 2 * _MARGIN)
    for value in dict.fromkeys((chart.low + margin, chart.high - margin)):
        y = chart.y(value)
        yield shape("line", x1=_LEFT, x2=WIDTH - _RIGHT, y1=y, y2=y, stroke=GREY, stroke_opacity="0.35")
        text = format_number(normalise(round(value, 6)), unit)
        yield label(_LEFT - 6, y + 4, text, text_anchor="end")
    yield shape("line", x1=_LEFT, x2=WIDTH - _RIGHT, y1=_GROUND, y2=_GROUND, stroke=GREY)
    last = len(chart.numbers) - 1
    for row, x, anchor in ((0, _LEFT, "start"), (last, WIDTH - _RIGHT, "end")):
        yield label(x, HEIGHT - 8, chart.named(row), text_anchor=anchor)


def _releases(chart: _Chart) -> Iterator[Markup]:
    """Yield a line for each tagged commit that has a report; names that would overlap are in titles only."""
    free = 0.0
    for row, names in enumerate(chart.model.tags):
        if not names:
            continue
        x, name = chart.x(chart.numbers[row]), ", ".join(names)
        yield shape(
            "line",
            f"{name}: {chart.named(row)}",
            x1=x,
            x2=x,
            y1=_TOP - 4,
            y2=_GROUND,
            stroke=GREY,
            stroke_dasharray="2 3",
        )
        text = fit(name, 100)
        if text and x >= free and x + width_of(text) < WIDTH:
            yield label(x + 2, _TOP - 10, text, font_size="11")
            free = x + width_of(text) + 8


def _breaks(chart: _Chart) -> Iterator[Markup]:
    for row in (np.flatnonzero(np.diff(to_ints(chart.model.rows[ERA]))) + 1).tolist():
        x = chart.x((chart.numbers[row - 1] + chart.numbers[row]) / 2)
        title = f"from {chart.named(row)} on figures are counted in another way"
        yield shape("line", title, x1=x, x2=x, y1=_TOP, y2=_GROUND, stroke=ORANGE, stroke_dasharray="8 4")


def _budgets(chart: _Chart) -> Iterator[Markup]:
    for budget in chart.line.budgets:
        if not chart.low <= budget.most <= chart.high:
            continue
        y = chart.y(float(budget.most))
        title = f"budget {budget.text}"
        yield shape("line", title, x1=_LEFT, x2=WIDTH - _RIGHT, y1=y, y2=y, stroke=RED, stroke_dasharray="6 3")
        yield label(WIDTH - _RIGHT, y - 4, fit(title, 300), text_anchor="end", font_size="11")


def _levels(chart: _Chart) -> Iterator[Markup]:
    """Yield the median of each level of a noisy figure."""
    if not chart.line.moves.is_noisy:
        return
    for level in chart.line.moves.levels:
        y = chart.y(level.value)
        x1, x2 = chart.x(chart.numbers[level.first]), chart.x(chart.numbers[level.last])
        yield shape("line", x1=x1, x2=x2, y1=y, y2=y, stroke=BLUE, stroke_width="5", stroke_opacity="0.45")


def _path(chart: _Chart) -> Iterator[Markup]:
    """Yield the line: it ends at gaps, at breaks, and where the figure is not known."""
    rows = np.flatnonzero(chart.known)
    if not len(rows):
        return
    numbers, era = chart.numbers, to_ints(chart.model.rows[ERA])
    usual = float(np.median(np.diff(numbers))) if len(numbers) > 1 else 1.0
    is_gap = np.diff(numbers[rows]) > (1 if usual <= 1 else _GAP * usual)
    is_cut = is_gap | (np.diff(rows) > 1) | (np.diff(era[rows]) != 0)
    x, y = np.round(chart.x(numbers[rows]), 1), np.round(chart.y(chart.values[rows]), 1)
    piece = np.cumsum(np.append([True], is_cut))
    kept = _seen(x, y, piece)
    begins = np.append([True], np.diff(piece[kept]) != 0)
    commands = np.where(begins, "M", "L")
    drawn = (f"{command}{x[at]:g} {y[at]:g}" for command, at in zip(commands.tolist(), kept.tolist(), strict=True))
    yield shape("path", d="".join(drawn), fill="none", stroke=BLUE, stroke_width="1.5")


def _seen(x: Floats, y: Floats, piece: Ints) -> Ints:
    """Return the points to draw: of those in one column of pixels the first, the last, the highest and the lowest."""
    if len(x) <= 2 * WIDTH:
        return np.arange(len(x))
    is_new = (np.diff(x.astype(np.int64)) != 0) | (np.diff(piece) != 0)
    starts = np.append(0, np.flatnonzero(is_new) + 1)
    ends = np.append(starts[1:], len(x)) - 1
    order = np.lexsort((y, np.cumsum(np.append(0, is_new))))
    return np.unique(np.concatenate((starts, ends, order[starts], order[ends])))


def _points(chart: _Chart, link: Callable[[int], str]) -> Iterator[Markup]:
    """Yield a point for each report, larger at steps and where gates failed; of many reports only those at steps."""
    steps = {step.row: step for step in chart.line.moves.steps}
    outcomes, column = chart.model.rows["outcome"], chart.model.rows[chart.line.stem]
    rows = np.flatnonzero(chart.known)
    if len(rows) > _MOST_POINTS:
        rows = np.array(sorted(steps)[-_MOST_POINTS:], dtype=np.int64)
    for row in rows.tolist():
        step, has_failed = steps.get(row), outcomes[row].as_py() == Outcome.FAILED
        words = step_words(step) if step else format_number(column[row].as_py(), unit_of(chart.line.stem))
        title = f"{chart.named(row)}: {words}{'; gates failed' if has_failed else ''}"
        x, y = float(chart.x(chart.numbers[row])), float(chart.y(chart.values[row]))
        drawn = shape("circle", title, cx=x, cy=y, r=4 if step else 2.5, fill=ORANGE if step else BLUE)
        if has_failed:
            drawn += shape("path", d=f"M{x - 5:.1f} {y - 5:.1f}l10 10m0 -10l-10 10", stroke=RED, stroke_width="1.5")
        address = link(row)
        yield Markup('<a href="{}" rel="noreferrer">{}</a>').format(address, drawn) if address else drawn


def _unknown(chart: _Chart) -> Iterator[Markup]:
    """Yield a hollow triangle at the bottom for reports that do not know the figure; of many, only the newest."""
    stem = chart.line.stem
    for row in np.flatnonzero(~chart.known)[-_MOST_POINTS:].tolist():
        least = chart.model.rows[f"{stem}_at_least"][row].as_py()
        words = "not known" if least is None else f"at least {format_number(least, unit_of(stem))}"
        x = float(chart.x(chart.numbers[row]))
        yield shape(
            "path", f"{chart.named(row)}: {words}", d=f"M{x - 4:.1f} {_GROUND}h8l-4 -7z", fill="none", stroke=GREY
        )
