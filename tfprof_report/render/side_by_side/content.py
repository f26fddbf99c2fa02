"""Reports side by side laid out for people: the tables and sentences that the page and the Markdown show."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from fractions import Fraction

from tfprof_report.clock import in_utc
from tfprof_report.compare.exact_totals import as_number
from tfprof_report.formatting import UNKNOWN, called, label_of, plural, unit_of
from tfprof_report.record import record
from tfprof_report.render.content.first_screen import SYMBOLS
from tfprof_report.render.side_by_side.words import (
    NO_DIFFERENCE,
    figures_words,
    headline,
    lacking_words,
    names_of,
    otherwise_words,
    reason,
    short_digest,
    unused_words,
)
from tfprof_report.render.tables.cells import (
    ABSENT,
    Cell,
    Column,
    Row,
    Table,
    delta_cell,
    name_cell,
    number_cell,
    percent_cell,
    text_cell,
    total_cell,
)
from tfprof_report.render.tables.layers_tables import IN_NO_LAYER
from tfprof_report.side_by_side.build import SideBySide
from tfprof_report.side_by_side.differences import Figure, Standing
from tfprof_report.side_by_side.front import Fronts
from tfprof_report.side_by_side.layers import STEM, LayerRow

FILE = "compare.parquet"
"""The file that has all figures."""

_BEATEN_BY = 2
"""Most models that are named where one is beaten."""

_UNKNOWN = text_cell(UNKNOWN, tone="unknown")

_CONCLUSIVE = Cell("COMPARED", tone="neutral")
_INCONCLUSIVE = Cell("INCONCLUSIVE", tone="inconclusive")


@record
class FigureCell:
    """A figure of one column: its total, and the difference to the first column in number and percent, or why none."""

    value: Cell
    delta: Cell | None = None
    percent: Cell | None = None
    note: str = ""

    @property
    def difference(self) -> str:
        """The difference in words, ``+1.20 M (+3.10 %)``; empty without one."""
        if self.delta is None or self.percent is None:
            return ""
        return f"{self.delta.text} ({self.percent.text})" if self.delta.key != "0" else "no change"


@record
class FigureLine:
    """A figure, or a layer, of all columns."""

    label: Cell
    cells: tuple[FigureCell, ...]


@record
class ColumnHead:
    """The name of a column, the address of its page, empty if there is none, and its commit."""

    name: Cell
    url: str
    commit: Cell | None


@record
class SideBySideContent:
    """What is shown of reports side by side.

    said : what is counted otherwise, and other warnings
    front : the figures of the front, and which models are on it; None if no figure of it is known
    layers_notes : what the table of layers leaves out
    facts : what each column is
    """

    title: str
    status: Cell
    symbol: str
    answer: str
    reason: str
    said: tuple[str, ...]
    columns: tuple[ColumnHead, ...]
    figures: tuple[FigureLine, ...]
    front: Table | None
    front_notes: tuple[str, ...]
    layers: tuple[FigureLine, ...]
    layers_notes: tuple[str, ...]
    facts: Table


def side_by_side_content(result: SideBySide) -> SideBySideContent:
    """Return reports side by side laid out for people."""
    status = _CONCLUSIVE if result.is_conclusive else _INCONCLUSIVE
    return SideBySideContent(
        title=f"{plural(len(result.columns), 'report')} side by side",
        status=status,
        symbol=SYMBOLS[status.tone],
        answer=headline(result) if result.is_conclusive else "Not all can be compared",
        reason=reason(result),
        said=tuple(otherwise_words(result)),
        columns=tuple(
            ColumnHead(
                name=name_cell(column.name),
                url=column.link,
                commit=name_cell(short_digest(commit), exact=commit) if (commit := column.row["commit"]) else None,
            )
            for column in result.columns
        ),
        figures=tuple(
            FigureLine(
                label=text_cell(label_of(row.stem)),
                cells=tuple(figure_cell(figure, row.stem) for figure in row.figures),
            )
            for row in result.rows
        ),
        front=_front(result) if result.fronts.whole.stems else None,
        front_notes=tuple(filter(None, (unused_words(result.fronts.unused),))),
        layers=tuple(
            FigureLine(
                label=text_cell(IN_NO_LAYER) if row.name is None else name_cell(row.name),
                cells=tuple(_layer_cells(result, row)),
            )
            for row in result.layers.rows
        ),
        layers_notes=tuple(_layers_notes(result)),
        facts=_facts(result),
    )


def figure_cell(figure: Figure, stem: str, *, is_alone: bool = False) -> FigureCell:
    """Return a figure with its difference to the first column; `is_alone` if that has nothing it could differ from."""
    unit, total = unit_of(stem), figure.total
    value = total_cell(as_number(total.value), unit, total.unknown)
    if figure.standing is not Standing.COMPARED:
        note = "" if is_alone else NO_DIFFERENCE.get(figure.standing, "")
        return FigureCell(value=value, note=note)
    return FigureCell(
        value=value,
        delta=delta_cell(as_number(figure.delta), unit),
        percent=percent_cell(figure.percent, "new from 0"),
    )


def _layer_cells(result: SideBySide, row: LayerRow) -> Iterator[FigureCell]:
    for column, figure in zip(result.columns, row.figures, strict=True):
        if figure is None:
            yield FigureCell(value=_UNKNOWN if column.layers is None else ABSENT)
        else:
            yield figure_cell(figure, STEM, is_alone=row.figures[0] is None)


def _front(result: SideBySide) -> Table:
    """Return the figures of the front: a row for each model, by the number that it has in the pictures."""
    fronts, stems = result.fronts, result.fronts.whole.stems
    return Table(
        caption=f"Front of {figures_words(stems)}",
        columns=(
            Column("Model"),
            Column("Dot", is_number=True),
            *(Column(label_of(stem), is_number=True) for stem in stems),
            Column("On the front"),
        ),
        rows=tuple(
            (
                name_cell(column.name),
                number_cell(number + 1, unit_of("definition_count")),
                *(
                    _used(fronts, column.totals[stem].value, stem, number, column.totals[stem].unknown)
                    for stem in stems
                ),
                _on_front(result, number),
            )
            for number, column in enumerate(result.columns)
        ),
        file=FILE,
    )


def _used(fronts: Fronts, value: Fraction | None, stem: str, number: int, unknown: int) -> Cell:
    cell = total_cell(as_number(value), unit_of(stem), unknown)
    is_used = fronts.values[stem][number] is not None
    return cell if is_used or value is None or unknown else cell._replace(tone="unknown")


def _on_front(result: SideBySide, number: int) -> Cell:
    place = result.fronts.whole.places[number]
    if place.lacks:
        return text_cell(f"not on it: {lacking_words(result, number, place.lacks)}", tone="unknown")
    if place.beaten_by:
        return text_cell(f"no: beaten by {names_of(result.columns, place.beaten_by, most=_BEATEN_BY)}")
    return text_cell("yes", tone="passed")


def _layers_notes(result: SideBySide) -> list[str]:
    layers, notes = result.layers, []
    if layers.count > len(layers.rows):
        notes.append(f"Shows {len(layers.rows):,} of {layers.count:,} layers: those with the most FLOPs.")
    notes.append(f"{layers.shared:,} of {plural(layers.count, 'name')} of layers {_are(layers.shared)} in all reports.")
    notes += [
        f"The layers of {called(column.name)} are not known: {column.no_layers}."
        for column in result.columns
        if column.layers is None
    ]
    return notes


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _facts(result: SideBySide) -> Table:
    """Return what each column is: where it comes from, and how it is counted."""
    labels = (
        *("Model", "Source", "Label", "Commit", "Branch", "Time", "Outcome", "Rules", "FLOPs rest on", "Counting"),
        *("Options", "Steps", "Inputs", "Tool"),
    )
    return Table(
        caption="Reports",
        columns=tuple(Column(label, is_number=label == "Steps") for label in labels),
        rows=tuple(_fact_row(result, number) for number in range(len(result.columns))),
        notes=(f"Put side by side by tfprof-report {result.tool_version}, {result.timestamp}.",),
        file=FILE,
    )


def _fact_row(result: SideBySide, number: int) -> Row:
    column = result.columns[number]
    row = column.row
    options = ", ".join(
        f"--{name.replace('_', '-')} {_value(value)}" for name, value in json.loads(row["options"]).items()
    )
    return (
        name_cell(column.name),
        name_cell(column.source),
        _named(row["label"]),
        _named(short_digest(row["commit"]), row["commit"]),
        _named(row["branch"]),
        text_cell(_time(row["time"])),
        text_cell(row["outcome"] or UNKNOWN),
        text_cell(row["rules"] or UNKNOWN),
        text_cell(row["basis"] or "the graph alone"),
        text_cell(f"{row['semantics']}, version {row['counting_version']}"),
        name_cell(options) if options else text_cell("the usual ones"),
        number_cell(row["steps"], unit_of("definition_count")),
        _named(short_digest(row["inputs"]), row["inputs"]),
        text_cell(row["tool_version"] or UNKNOWN),
    )


def _value(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def _named(name: str | None, exact: str | None = None) -> Cell:
    return name_cell(name, exact=exact) if name else ABSENT


def _time(time: datetime | None) -> str:
    return in_utc(time) if time else "no date"


def shown_rows(lines: Sequence[FigureLine], places: Sequence[int]) -> tuple[Row, ...]:
    """Return lines as rows of a plain table with some of the columns: figure and difference in one cell."""
    return tuple((line.label, *(_joined(line.cells[place]) for place in places)) for line in lines)


def _joined(cell: FigureCell) -> Cell:
    more = cell.difference or cell.note
    return text_cell(f"{cell.value.text}, {more}" if more else cell.value.text)
