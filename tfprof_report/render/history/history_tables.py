"""The tables of the page whose cells have several lines or links: models by figures, and what moved over stretches."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from tfprof_report.formatting import format_percent, label_of, percent_of, plural, unit_of
from tfprof_report.history.figures_over_time import Figure
from tfprof_report.history.history_data import History, Line
from tfprof_report.history.nets import Net
from tfprof_report.history.steps import Step
from tfprof_report.record import record
from tfprof_report.render.history.history_content import HistoryContent, ModelContent, change_anchor
from tfprof_report.render.history.history_words import budget_words, commit_of, figure_words, short
from tfprof_report.render.tables.cells import ABSENT, Cell, delta_cell, direction, name_cell, sort_key, text_cell


@record
class FigureCell:
    """A figure of a model: now, and beneath it how it moved and how far its budget is."""

    now: Cell
    notes: tuple[Cell, ...] = ()


@record
class IndexRow:
    """A model: its name, the anchor of its section, its figures in the order of the columns, and its outcome."""

    name: Cell
    anchor: str
    cells: tuple[FigureCell, ...]
    outcome: Cell | None = None


@record
class Index:
    """All models by all figures; `labels` are those of the columns of figures."""

    labels: tuple[str, ...]
    rows: tuple[IndexRow, ...]


@record
class LargestStep:
    """One of the largest steps of a stretch: by how much, at which commit, and the address of what is known of it."""

    delta: Cell
    commit: Cell
    url: str


@record
class NetCell:
    """How far a figure moved over a stretch, in how many steps, and the largest of them."""

    delta: Cell
    note: str = ""
    largest: tuple[LargestStep, ...] = ()


@record
class StretchRow:
    """A stretch of commits: what it is, and its figures in the order of the columns."""

    words: Cell
    cells: tuple[NetCell, ...]


@record
class Nets:
    """What moved over stretches; `labels` are those of the columns of figures."""

    labels: tuple[str, ...]
    rows: tuple[StretchRow, ...]


def models_index(content: HistoryContent) -> Index:
    """Return the table of all models; a model without a figure has an empty cell."""
    stems = tuple(dict.fromkeys(line.stem for model in content.models for line in model.model.lines))
    return Index(labels=tuple(map(label_of, stems)), rows=tuple(_index_row(model, stems) for model in content.models))


def _index_row(content: ModelContent, stems: tuple[str, ...]) -> IndexRow:
    lines = {line.stem: line for line in content.model.lines}
    cells = (_figure_cell(lines[stem]) if stem in lines else FigureCell(now=ABSENT) for stem in stems)
    verdict = content.model.verdict
    outcome = text_cell(verdict.outcome.upper(), tone=content.verdict.tone) if verdict and content.verdict else None
    return IndexRow(name=content.name, anchor=content.anchor, cells=tuple(cells), outcome=outcome)


def _figure_cell(line: Line) -> FigureCell:
    now = line.over_time.now
    text = figure_words(line.stem, now)
    is_known = now.value is not None
    return FigureCell(
        now=Cell(text, key=sort_key(now.value), tone="" if is_known else "unknown"),
        notes=tuple(_notes(line)) if is_known else (),
    )


def _notes(line: Line) -> Iterator[Cell]:
    """Yield how a figure moved over the last days and since the release, its best, and what is left of its budget."""
    over_time = line.over_time
    for words, then in (("7 days", over_time.week), ("30 days", over_time.month)):
        yield _since(words, line, then)
    if over_time.release.value is not None:
        yield _since("release", line, over_time.release)
    yield text_cell(f"best: {figure_words(line.stem, over_time.best)}")
    if over_time.budget is not None:
        text = budget_words(line.stem, over_time.budget, over_time.distance)
        is_over = over_time.distance is not None and over_time.distance < 0
        yield text_cell(f"budget: {text}", tone="failed" if is_over else "")


def _since(words: str, line: Line, then: Figure) -> Cell:
    """Return how a figure moved since then; a noisy one differs from night to night, which no colour stresses."""
    now = line.over_time.now.value
    if then.value is None or now is None:
        return text_cell(f"{words}: {then.reason or figure_words(line.stem, then)}", tone="unknown")
    moved = now - then.value
    text = format_percent(line.over_time.percent(then), "new from 0") if moved else "no change"
    return text_cell(f"{words}: {text}", tone="" if line.moves.is_noisy else direction(moved))


def nets_of(history: History, content: ModelContent) -> Nets:
    """Return what moved over the stretches of a model."""
    model = content.model
    stems = tuple(line.stem for line in model.lines)
    return Nets(
        labels=tuple(map(label_of, stems)),
        rows=tuple(
            StretchRow(
                words=text_cell(f"{stretch.words[0].upper()}{stretch.words[1:]}"),
                cells=tuple(
                    _net_cell(history, content, net)
                    for stem in stems
                    for net in [next((net for net in stretch.nets if net.stem == stem), None)]
                ),
            )
            for stretch in model.stretches
        ),
    )


def _net_cell(history: History, content: ModelContent, net: Net | None) -> NetCell:
    if net is None:
        return NetCell(delta=text_cell("cannot be compared", tone="unknown"))
    if not net.count and not net.delta:
        return NetCell(delta=text_cell("no change"))
    unit = unit_of(net.stem)
    delta = delta_cell(net.delta, unit)
    percent = format_percent(percent_of(Fraction(net.base), Fraction(net.head)), "new from 0")
    return NetCell(
        delta=delta._replace(text=f"{delta.text} ({percent})" if net.delta else "no change in all"),
        note=_steps(net),
        largest=tuple(_largest(history, content, step) for step in net.largest),
    )


def _steps(net: Net) -> str:
    """Return in how many steps a figure moved; empty for one, which is named."""
    if net.count == 1:
        return ""
    if net.is_drift:
        return f"drift in {plural(net.count, 'small step')}, the largest"
    return f"{plural(net.count, 'step')}{', the largest' if net.count > len(net.largest) else ''}"


def _largest(history: History, content: ModelContent, step: Step) -> LargestStep:
    """Return a step with the address of its change on the page, or, if that is not shown, of its commit."""
    commit, anchor = commit_of(content.model, step.row), change_anchor(content.anchor, step)
    is_shown = any(change.anchor == anchor for change in content.changes)
    return LargestStep(
        delta=delta_cell(step.delta, unit_of(step.stem)),
        commit=name_cell(short(commit), exact=commit),
        url=f"#{anchor}" if is_shown else history.links.of_commit(commit),
    )
