"""The line of a figure over commits as SVG: steps, releases, budgets, gaps, breaks and what is not known.

It is shown where there are no scripts, and on paper. It is as wide as its place, with text of one size: how far right
something is, is in percent of the width, and how far down in pixels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from markupsafe import Markup

from tfprof_report.arrays import Bools
from tfprof_report.formatting import format_number, label_of, normalise, plural, unit_of
from tfprof_report.history.history_data import ModelHistory
from tfprof_report.record import record
from tfprof_report.render.history.history_words import commit_of, day_of, short, step_words
from tfprof_report.render.history.plotted import Plotted, breaks
from tfprof_report.render.html.svg import (
    BLUE,
    GREY,
    ORANGE,
    Picture,
    fit,
    fluid_picture,
    group,
    label,
    shape,
    width_of,
)
from tfprof_report.render.html.thinned import line_path, seen_points

HEIGHT = 200
_HIGHEST, _LOWEST = 42, 152
"""Where the highest and the lowest value are, in pixels from the top."""
_TOP, _GROUND = 18, 172
"""Where the lines of releases begin, and where the axis of commits is."""
_LEFT, _SPAN = 1, 98
"""Where the first commit is, and how far right of it the last one, in percent of the width."""
_NARROW = 350
"""Width in pixels on a phone: what fits there fits everywhere."""
_ACROSS = 1200
"""Columns of the line: as many as a wide window has pixels."""
MOST_POINTS = 150
"""Most points of a chart that are shapes of their own; of more reports only those at steps are."""
RED = "#d1495b"
"""Colour of limits and of what is beyond them, medium bright as the others."""


@record
class _Chart:
    """What is drawn, and which points are shapes of their own; `link` returns the address of the report of a row."""

    plot: Plotted
    failed: Bools
    link: Callable[[int], str]
    most_points: int

    @property
    def model(self) -> ModelHistory:
        """The model."""
        return self.plot.model

    def share(self, number: Any) -> Any:
        """Return where a commit is, from 0 for the first to 1 for the last."""
        first, last = self.plot.numbers[0], self.plot.numbers[-1]
        return (number - first) / max(last - first, 1)

    def x(self, number: Any) -> str:
        """Return how far right a commit is."""
        return f"{_LEFT + _SPAN * float(self.share(number)):.2f}%"

    def at(self, row: int) -> str:
        """Return how far right the commit of a row is."""
        return self.x(self.plot.numbers[row])

    def y(self, value: Any) -> Any:
        """Return how far down a value is."""
        low, high = self.plot.low, self.plot.high
        if high == low:
            return value * 0 + (_LOWEST + _HIGHEST) / 2
        return _LOWEST - (value - low) / (high - low) * (_LOWEST - _HIGHEST)

    def named(self, row: int) -> str:
        """Return the commit of a row and its day."""
        return f"{short(commit_of(self.model, row))}, {day_of(self.model, row)}"


def draw_line(
    plot: Plotted, failed: Bools, *, anchor: str, link: Callable[[int], str], most_points: int = MOST_POINTS
) -> Picture:
    """Return the picture of a figure of a model that has reports.

    `link` returns the address of the report of a row, empty if there is none. `failed` says at which rows a gate
    failed. If more than `most_points` reports know the figure, only steps are points, and of these the newest.
    """
    chart = _Chart(plot=plot, failed=failed, link=link, most_points=most_points)
    shapes = [
        *_axes(chart),
        *_releases(chart),
        *_breaks(chart),
        *_budgets(chart),
        *_levels(chart),
        *_path(chart),
        *_points(chart),
        *_unknown(chart),
    ]
    title = label_of(plot.line.stem)
    return fluid_picture(shapes, anchor=anchor, title=title, text=_text(plot), height=HEIGHT)


def _text(plot: Plotted) -> str:
    """Return the caption: what the line is, and what it does not show."""
    line, count = plot.line, len(plot.rows)
    missing = len(plot.known) - count
    words = [f"{plural(count, 'report')}, {plural(len(line.moves.steps), 'step')}"]
    if line.moves.is_noisy:
        words.append("it varies without a change of the model: the wide line is the median of a level")
    if missing:
        words.append(f"not wholly known in {plural(missing, 'report')} (triangles at the bottom)")
    words += [f"the limit {each.text} is above the picture" for each in line.budgets if each not in plot.near]
    return f"{'; '.join(words)}."


def _axes(chart: _Chart) -> Iterator[Markup]:
    unit = unit_of(chart.plot.line.stem)
    for value, below in dict.fromkeys(((chart.plot.low, 15), (chart.plot.high, -4))):
        if below > 0 and chart.plot.low == chart.plot.high:
            continue
        y = float(chart.y(value))
        yield _across(y, stroke=GREY, stroke_opacity="0.35")
        yield label(0, y + below, format_number(normalise(round(value, 6)), unit), font_size="11")
    yield _across(_GROUND, stroke=GREY)
    yield label(0, HEIGHT - 10, chart.named(0), font_size="11")
    if len(chart.plot.numbers) > 1:
        last = chart.named(len(chart.plot.numbers) - 1)
        yield label("100%", HEIGHT - 10, last, text_anchor="end", font_size="11")


def _across(y: float, title: str = "", begin: str = "0", **attributes: float | str) -> Markup:
    return shape("line", title, x1=begin, x2="100%", y1=y, y2=y, **attributes)


def _upright(x: str, title: str, **attributes: float | str) -> Markup:
    return shape("line", title, x1=x, x2=x, y1=_TOP, y2=_GROUND, **attributes)


def _releases(chart: _Chart) -> Iterator[Markup]:
    """Yield a line for each tagged commit that has a report; names that would overlap on a phone are in titles only.

    The newest names come first.
    """
    free = float(_NARROW)
    for row in reversed([row for row, names in enumerate(chart.model.tags) if names]):
        name, share = ", ".join(chart.model.tags[row]), float(chart.share(chart.plot.numbers[row]))
        yield _upright(chart.at(row), f"{name}: {chart.named(row)}", stroke=GREY, stroke_dasharray="2 3")
        text, middle = fit(name, 100), share * _NARROW
        if not text or middle > free:
            continue
        side = "end" if share > 1 / 2 else "start"
        begin = middle - width_of(text) if share > 1 / 2 else middle
        if begin + width_of(text) <= free:
            yield label(chart.at(row), _TOP - 6, text, text_anchor=side, font_size="11")
            free = begin - 6


def _breaks(chart: _Chart) -> Iterator[Markup]:
    for row in breaks(chart.model):
        x = chart.x((chart.plot.numbers[row - 1] + chart.plot.numbers[row]) / 2)
        title = f"from {chart.named(row)} on figures are counted in another way"
        yield _upright(x, title, stroke=ORANGE, stroke_dasharray="8 4")


def _budgets(chart: _Chart) -> Iterator[Markup]:
    for budget in chart.plot.near:
        y = float(chart.y(float(budget.most)))
        title = f"limit {budget.text}" if budget.since else f"budget {budget.text}"
        begin = chart.x(max(budget.since, chart.plot.numbers[0])) if budget.since else "0"
        yield _across(y, title, begin, stroke=RED, stroke_dasharray="6 3")
        yield label("100%", y - 4, fit(title, _NARROW - 70), text_anchor="end", font_size="11")


def _levels(chart: _Chart) -> Iterator[Markup]:
    """Yield the median of each level of a noisy figure."""
    if not chart.plot.line.moves.is_noisy:
        return
    for level in chart.plot.line.moves.levels:
        y = float(chart.y(level.value))
        x1, x2 = chart.at(level.first), chart.at(level.last)
        yield shape("line", x1=x1, x2=x2, y1=y, y2=y, stroke=BLUE, stroke_width="5", stroke_opacity="0.45")


def _path(chart: _Chart) -> Iterator[Markup]:
    """Yield the line, in a picture of its own that is stretched: a path has no coordinates in percent."""
    plot = chart.plot
    rows = plot.rows
    if not len(rows):
        return
    x, y = chart.share(plot.numbers[rows]) * _ACROSS, chart.y(plot.values[rows])
    kept = seen_points(x, y, plot.piece, _ACROSS)
    line = shape(
        "path",
        d=line_path(x[kept], y[kept], plot.piece[kept]),
        fill="none",
        stroke=BLUE,
        stroke_width="1.5",
        stroke_linecap="round",
        vector_effect="non-scaling-stroke",
    )
    place: dict[str, float | str] = {"x": f"{_LEFT}%", "width": f"{_SPAN}%", "height": HEIGHT}
    yield group([line], "svg", **place, viewBox=f"0 0 {_ACROSS} {HEIGHT}", preserveAspectRatio="none")


def _points(chart: _Chart) -> Iterator[Markup]:
    """Yield a point for each report, larger at steps and where gates failed; of many reports only those at steps.

    The keyboard goes from step to step; other points can be reached by it with scripts.
    """
    line = chart.plot.line
    steps = {step.row: step for step in line.moves.steps}
    column, unit = chart.model.rows[line.stem], unit_of(line.stem)
    rows = chart.plot.rows.tolist()
    if len(rows) > chart.most_points:
        rows = _newest(sorted(steps), chart.most_points)
    for row in rows:
        step, has_failed = steps.get(row), bool(chart.failed[row])
        words = step_words(step) if step else format_number(column[row].as_py(), unit)
        title = f"{chart.named(row)}: {words}{'; gates failed' if has_failed else ''}"
        x, y = chart.at(row), float(chart.y(chart.plot.values[row]))
        drawn = shape("circle", title, cx=x, cy=y, r=4 if step else 2.5, fill=ORANGE if step else BLUE)
        if has_failed:
            cross = shape("path", d="M-5 -5l10 10m0 -10l-10 10", stroke=RED, stroke_width="1.5")
            drawn += group([cross], "svg", x=x, y=y, overflow="visible")
        address = chart.link(row)
        if not address:
            yield drawn
        elif step:
            yield Markup('<a href="{}" rel="noreferrer">{}</a>').format(address, drawn)
        else:
            yield Markup('<a href="{}" rel="noreferrer" tabindex="-1">{}</a>').format(address, drawn)


def _unknown(chart: _Chart) -> Iterator[Markup]:
    """Yield a hollow triangle at the bottom for reports that do not know the figure; of many, only the newest."""
    stem = chart.plot.line.stem
    for row in _newest(np.flatnonzero(~chart.plot.known).tolist(), chart.most_points):
        least = chart.model.rows[f"{stem}_at_least"][row].as_py()
        words = "not known" if least is None else f"at least {format_number(least, unit_of(stem))}"
        triangle = shape("path", f"{chart.named(row)}: {words}", d="M-4 0h8l-4 -7z", fill="none", stroke=GREY)
        yield group([triangle], "svg", x=chart.at(row), y=_GROUND, overflow="visible")


def _newest(rows: list[int], most: int) -> list[int]:
    return rows[max(0, len(rows) - most) :]
