"""A history laid out for people: the tables and lists that the page and the Markdown show."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from urllib.parse import quote

from tfprof_report.compare.gates.verdict import Outcome, Verdict
from tfprof_report.errors import one_line
from tfprof_report.formatting import label_of, plural
from tfprof_report.history.changes import Change
from tfprof_report.history.history_data import History, ModelHistory
from tfprof_report.history.steps import Step
from tfprof_report.record import record
from tfprof_report.render.history.history_words import (
    break_words,
    budget_words,
    commit_of,
    compared_words,
    day_of,
    drift_words,
    figure_words,
    headline,
    left_out_words,
    short,
    step_words,
    stretch_words,
    which_commits,
    why_words,
)
from tfprof_report.render.tables.cells import Cell, Column, Table, name_cell, text_cell

MOST_CHANGES = 100
"""Most changes of a model on the page; history.json has all."""


@record
class ChangeContent:
    """A change: its commit with the address of its page, day, figures, which commits may have made it, and why.

    `report_url` is the address of the report in the store, empty if it is not known or was pruned. `anchor` is its id
    within the page.
    """

    anchor: str
    commit: Cell
    commit_url: str
    report_url: str
    day: str
    tags: tuple[Cell, ...]
    steps: tuple[str, ...]
    which: str
    why: Cell


@record
class ModelContent:
    """What is shown of one model; pictures and the tables with links are made of `model` by the page."""

    model: ModelHistory
    name: Cell
    anchor: str
    headline: str
    verdict: Cell | None
    figures: Table
    stretches: tuple[str, ...]
    drifts: tuple[str, ...]
    breaks: tuple[str, ...]
    changes: tuple[ChangeContent, ...]
    more_changes: int
    left_out: tuple[Cell, ...]


@record
class HistoryContent:
    """What is shown of a history; `failed` are the models without one, and why."""

    title: Cell
    scope: str
    models: tuple[ModelContent, ...]
    failed: tuple[Cell, ...] = ()


def history_content(history: History) -> HistoryContent:
    """Return a history laid out for people."""
    since = f" {history.since}" if history.since else ""
    return HistoryContent(
        title=name_cell(history.store),
        scope=one_line(f"{plural(len(history.commits), 'commit')}{since}, in the order of git."),
        models=tuple(_model(history, model, place) for place, model in enumerate(history.models, start=1)),
        failed=tuple(name_cell(f"{model.name}: {model.reason}") for model in history.failed),
    )


def _model(history: History, model: ModelHistory, place: int) -> ModelContent:
    newest = tuple(islice(reversed(model.changes), MOST_CHANGES))
    anchor = f"model-{place}"
    return ModelContent(
        model=model,
        name=name_cell(model.name),
        anchor=anchor,
        headline=headline(model),
        verdict=None if model.verdict is None else _verdict(model.verdict),
        figures=figures_table(model),
        stretches=_said(stretch_words(model, stretch) for stretch in model.stretches),
        drifts=_said(drift_words(model, line) for line in model.lines),
        breaks=_said(break_words(model)),
        changes=tuple(_change(history, model, change, anchor) for change in newest),
        more_changes=len(model.changes) - len(newest),
        left_out=tuple(name_cell(words) for words in left_out_words(model)),
    )


def _verdict(verdict: Verdict) -> Cell:
    """Return the sentence of a verdict, in the colour of its outcome."""
    tones = {Outcome.FAILED: "failed", Outcome.INCONCLUSIVE: "unknown"}
    return name_cell(verdict.text)._replace(tone=tones.get(verdict.outcome, ""))


def _said(sentences: Iterable[str]) -> tuple[str, ...]:
    """Return sentences, which may name tags and options, without the empty ones."""
    return tuple(one_line(words) for words in sentences if words)


def figures_table(model: ModelHistory) -> Table:
    """Return the table of figures: now, earlier, best, and the distance to the budget."""
    rows = tuple(
        (
            text_cell(label_of(line.stem)),
            text_cell(figure_words(line.stem, line.over_time.now), tone=_tone(line.over_time.now.value)),
            text_cell(compared_words(line.over_time, line.over_time.week)),
            text_cell(compared_words(line.over_time, line.over_time.month)),
            text_cell(compared_words(line.over_time, line.over_time.release)),
            text_cell(figure_words(line.stem, line.over_time.best)),
            text_cell(
                budget_words(line.stem, line.over_time.budget, line.over_time.distance),
                tone="failed" if line.over_time.distance is not None and line.over_time.distance < 0 else "",
            ),
        )
        for line in model.lines
    )
    labels = ("Figure", "Now", "7 days ago", "30 days ago", "At the last release", "Best ever", "Budget")
    return Table(
        caption="Figures",
        columns=tuple(Column(label, is_number=label == "Now") for label in labels),
        rows=rows,
        notes=("Days are counted back from the newest commit. Best is the lowest; of a noisy figure, a median.",),
        file="history.json",
    )


def _tone(value: object) -> str:
    return "unknown" if value is None else ""


def change_anchor(anchor: str, change: Change | Step) -> str:
    """Return the anchor of a change, or of that which a step is in, of the model with an anchor.

    Several changes may end at a row: where a figure was not known in between, its change began earlier.
    """
    began = "" if change.before == change.row - 1 else f"{change.before}-"
    return f"{anchor}-change-{began}{change.row}"


def _change(history: History, model: ModelHistory, change: Change, anchor: str) -> ChangeContent:
    commit = commit_of(model, change.row)
    return ChangeContent(
        anchor=change_anchor(anchor, change),
        commit=name_cell(short(commit), exact=commit),
        commit_url=history.links.of_commit(commit),
        report_url=report_url(history, model, change.row),
        day=day_of(model, change.row),
        tags=tuple(name_cell(tag) for tag in model.tags[change.row]),
        steps=tuple(map(step_words, change.steps)),
        which=which_commits(model, change),
        why=name_cell(why_words(change)),
    )


def report_url(history: History, model: ModelHistory, row: int) -> str:
    """Return the address of the report of a row; empty if the address of the store is not known, or it was pruned."""
    if not history.store_url or not model.held[row]:
        return ""
    return f"{history.store_url.rstrip('/')}/{quote(model.rows['report'][row].as_py())}/report.html"
