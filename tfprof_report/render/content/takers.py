"""What takes the figures of one side: its layers, ranked by one figure at a time. Plain data for templates."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.compare.causes.carriers import VIEW
from tfprof_report.formatting import plural
from tfprof_report.record import record
from tfprof_report.render.tables.cells import NAME_LIMIT, Table, visible
from tfprof_report.render.tables.folded_layers import FoldedLayers, LayerGroup, fold_layers
from tfprof_report.render.tables.layers_tables import layers_table
from tfprof_report.report.report import Report

_ROWS = 8
"""Layers of the first screen; the section has more."""

_CHOICES = {"float_ops": "FLOPs", "trainable_params": "Parameters", "bytes": "Memory", "micros": "Time"}


@record
class Takers:
    """The layers that take the most of one figure.

    choice : the figure in a word
    table : the layers; the second column is the figure, the third its share, whose keys are percentages
    links : by row the name of its scope and the link to that in the live view, empty if that does not have it
    note : how much of the figure is not known
    """

    stem: str
    choice: str
    table: Table
    links: tuple[tuple[str, str], ...]
    note: str = ""


def takers_of(report: Report) -> tuple[Takers, ...]:
    """Return the layers of head by each figure that any has; nothing with a base, and without layers."""
    if report.comparison is not None or not report.head.layers.num_rows:
        return ()
    found = fold_layers(report.head.layers)
    return tuple(_takers(report, found, stem) for stem in found.stems)


def _takers(report: Report, found: FoldedLayers, stem: str) -> Takers:
    unknown = report.unknown.get(stem, 0)
    note = f"Shares are of what is known: {plural(unknown, 'node')} {'is' if unknown == 1 else 'are'} not counted."
    return Takers(
        stem=stem,
        choice=_CHOICES[stem],
        table=layers_table(found, _ROWS, stem),
        links=_links(report, found.takers(stem)[:_ROWS]),
        note=note if unknown else "",
    )


def _links(report: Report, groups: Sequence[LayerGroup]) -> tuple[tuple[str, str], ...]:
    """Return the scope of each group as shown, that of the first of alike ones, and the link to it."""
    view = report.head.views.get(VIEW)
    names = [group.names[0] for group in groups]
    if view is None:
        return (("", ""),) * len(names)
    is_there = pc.is_in(pa.array(names, pa.string()), value_set=view.rows["name"].cast(pa.string()).combine_chunks())
    return tuple(
        (visible(name), link_to(name)) if name is not None and there else ("", "")
        for name, there in zip(names, is_there.to_pylist(), strict=True)
    )


def link_to(name: str) -> str:
    """Return the link to a row in the live view, which looks rows up by their displayed names.

    A shortened name may not be unique, so it links to the view.
    """
    return f"#{VIEW}={quote(visible(name), safe='/')}" if len(name) <= NAME_LIMIT else f"#view-{VIEW}"
