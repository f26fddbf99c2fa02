"""The content of a report on several models, as plain data: an index of all, and the first screen of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, NamedTuple
from urllib.parse import quote

from tfprof_report.compare.causes.scope_sizes import ScopeSizes
from tfprof_report.formatting import label_of, plural, unit_of
from tfprof_report.record import record
from tfprof_report.render.content.cards import ALWAYS, Card
from tfprof_report.render.content.first_screen import SYMBOLS, Screen, make_screen
from tfprof_report.render.content.sections import STATUS
from tfprof_report.render.content.verdict_words import ANSWERS
from tfprof_report.render.machine.verdict_json import verdict_of, verdict_of_gone
from tfprof_report.render.tables.cells import ABSENT, Cell, delta_cell, name_cell, percent_cell, text_cell, total_cell
from tfprof_report.report.changed import has_news
from tfprof_report.report.distance import Distance
from tfprof_report.report.models import Model, ModelFigure, ModelsReport, ModelStatus
from tfprof_report.report.report import Report
from tfprof_report.schema.metrics import DEVICE_PEAK

INDEX = ("float_ops", "macs", "params", DEVICE_PEAK, "micros")
"""Figures of the index; a figure that no model knows is left out, unless it is one of `ALWAYS`."""


_COMMIT = "Commit"
_NAMED = 3
"""Models that are named in a sentence."""


@record
class ModelPage:
    """What the report on all models needs from one: first screen, largest scopes, size and digest of its summary.

    All three are None for a model that only the base has. `verdict` is its entry in verdict.json, `has_news` is defined
    in `report.changed`, `distance` is that of its base.
    """

    model: Model
    verdict: Mapping[str, Any]
    has_news: bool = True
    distance: Distance = field(default_factory=Distance)
    screen: Screen | None = None
    sizes: ScopeSizes | None = None
    summary: Mapping[str, Any] | None = None

    @property
    def anchor(self) -> str:
        """The anchor of the model's section."""
        return f"model-{self.model.name}"

    @property
    def folder(self) -> str:
        """The link to the folder of the model's report."""
        return quote(self.model.name)

    @property
    def status(self) -> Cell:
        """The outcome in a word."""
        return STATUS[self.model.verdict.outcome]

    @property
    def symbol(self) -> str:
        """The outcome as a symbol."""
        return SYMBOLS[self.status.tone]

    @property
    def mark(self) -> Cell | None:
        """The label ``new`` or ``gone`` of a model that only one side has."""
        tones = {ModelStatus.NEW: "new", ModelStatus.GONE: "removed"}
        tone = tones.get(self.model.status)
        return text_cell(self.model.status, tone) if tone else None


@record
class IndexRow:
    """A model in the index; `cells` are its figures."""

    page: ModelPage
    name: Cell
    nodes: Cell
    cells: tuple[Card, ...]


class Fact(NamedTuple):
    """What is known of all models, such as their commit; `url` is its page, empty if there is none."""

    label: str
    value: Cell
    url: str = ""


@record
class ModelsContent:
    """The content of the report on several models, which HTML and Markdown lay out.

    `answer` is the outcome as an answer, `verdict` the sentences after it. `report_url` is where it is published, empty
    if that is not known.
    """

    title: Cell
    status: Cell
    symbol: str
    answer: str
    verdict: str
    facts: tuple[Fact, ...]
    report_url: str
    labels: tuple[str, ...]
    rows: tuple[IndexRow, ...]


def page_of(model: Model, report: Report, summary: Mapping[str, Any]) -> ModelPage:
    """Return what the report on all models needs from one that has a report."""
    return ModelPage(
        model=model,
        verdict=verdict_of(report),
        has_news=has_news(report),
        distance=report.distance,
        screen=make_screen(report),
        sizes=report.changed_sizes or report.sizes,
        summary=summary,
    )


def page_of_gone(model: Model, base: Report) -> ModelPage:
    """Return what the report on all models needs from one that only the base has; `base` is its report there."""
    return ModelPage(model=model, verdict=verdict_of_gone(model, base))


def verdicts_of(pages: Sequence[ModelPage]) -> dict[str, Mapping[str, Any]]:
    """Return the entry in verdict.json of each model, by name."""
    return {page.model.name: page.verdict for page in pages}


def summaries_of(pages: Sequence[ModelPage]) -> dict[str, Mapping[str, Any] | None]:
    """Return size and digest of the summary of each model, by name; None where it has no report."""
    return {page.model.name: page.summary for page in pages}


def models_content(report: ModelsReport, pages: Sequence[ModelPage]) -> ModelsContent:
    """Return the content of the report on several models."""
    status = STATUS[report.verdict.outcome]
    verdict = report.verdict.text.removeprefix(f"{status.text}: ")
    there = sum(page.summary is not None for page in pages)
    stems = [stem for stem in INDEX if stem in ALWAYS or any(_is_known(page.model.figure(stem)) for page in pages)]
    facts = {"Branch": report.branch, _COMMIT: report.commit, "Created": report.timestamp}
    return ModelsContent(
        title=name_cell(report.label) if report.label else text_cell(plural(there, "model")),
        status=status,
        symbol=SYMBOLS[status.tone],
        answer=ANSWERS[report.verdict.outcome],
        verdict=" ".join([f"{verdict[:1].upper()}{verdict[1:]}", *_far(pages)]),
        facts=tuple(
            Fact(label, name_cell(value), report.links.of_commit(value) if label == _COMMIT else "")
            for label, value in facts.items()
            if value
        ),
        report_url=report.links.report or "",
        labels=tuple(label_of(stem) for stem in stems),
        rows=tuple(
            IndexRow(
                page=page,
                name=name_cell(page.model.name),
                nodes=text_cell(plural(page.model.nodes, "node")),
                cells=tuple(_index_cell(page.model.figure(stem), page.model.status) for stem in stems),
            )
            for page in pages
        ),
    )


def _far(pages: Sequence[ModelPage]) -> Iterator[str]:
    """Yield which models are compared with a baseline that is many commits back or old."""
    far = [f"{page.model.name} ({page.distance.words})" for page in pages if page.distance.is_large]
    if far:
        more = [f"{len(far) - _NAMED:,} more"] if len(far) > _NAMED else []
        what = "a distant baseline" if len(far) == 1 else "distant baselines"
        yield f"Compared with {what}: {', '.join([*far[:_NAMED], *more])}."


def _is_known(figure: ModelFigure) -> bool:
    return figure.base is not None or figure.head is not None


def _index_cell(figure: ModelFigure, status: ModelStatus) -> Card:
    unit, label = unit_of(figure.stem), label_of(figure.stem)
    base = total_cell(figure.base, unit, figure.base_unknown)
    head = total_cell(figure.head, unit, figure.head_unknown)
    match status:
        case ModelStatus.REPORTED | ModelStatus.NEW:
            return Card(label=label, head=head, note=figure.basis)
        case ModelStatus.GONE:
            return Card(label=label, head=ABSENT, base=base)
    percent = percent_cell(figure.percent, figure.state)
    return Card(
        label=label, head=head, base=base, delta=delta_cell(figure.delta, unit), percent=percent, note=figure.basis
    )
