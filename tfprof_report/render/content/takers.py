"""What takes the figures of one side: its layers, ranked by one figure at a time. Plain data for templates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from urllib.parse import quote

import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.compare.causes.blocks import scopes_around
from tfprof_report.compare.causes.carriers import VIEW
from tfprof_report.compare.causes.layer_tree import layer_tree
from tfprof_report.formatting import format_number, plural, unit_of
from tfprof_report.record import record
from tfprof_report.render.tables.cells import NAME_LIMIT, Table, visible
from tfprof_report.render.tables.folded_layers import FoldedLayers, LayerGroup, fold_layers
from tfprof_report.render.tables.layers_tables import IN_NO_LAYER, label_of_layer, layers_table
from tfprof_report.report.report import Report
from tfprof_report.schema.metrics import DEVICE_PEAK, Number, Unit

_ROWS = 8
"""Layers of the first screen; the section has more."""

_MEMBERS = 10
"""Most layers or blocks that a row of the first screen opens to."""

_CHOICES = {
    "float_ops": "FLOPs",
    "trainable_params": "Parameters",
    DEVICE_PEAK: "Peak memory",
    "bytes": "Memory",
    "micros": "Time",
}
"""Figures in order; memory is what is held at the peak of a run, without one what nodes requested."""

_UNRECORDED = "allocated before the step"


@record
class Takers:
    """The layers that take the most of one figure.

    choice : the figure in a word
    table : the layers; the second column is the figure, the third its share, whose keys are percentages
    tree : all layers as a tree for a picture, `layer_tree`; None if there is nothing to draw
    links : by name the link to the scope in the live view, which may not have it
    note : how much of the figure is not known
    """

    stem: str
    choice: str
    table: Table
    links: Mapping[str, str]
    tree: pa.Table | None = None
    note: str = ""

    @property
    def label(self) -> str:
        """The figure as headers have it."""
        return label_of_layer(self.stem)

    @property
    def unit(self) -> Unit:
        """The unit of the figure."""
        return unit_of(self.stem)


def takers_of(report: Report) -> tuple[Takers, ...]:
    """Return the layers of head by each figure that any has; nothing with a base, and without layers."""
    if report.comparison is not None or not report.head.layers.num_rows:
        return ()
    layers, peak = _with_peak(report)
    found = fold_layers(layers, [stem for stem in _CHOICES if stem in layers.column_names and stem != _unlike(peak)])
    if peak:
        found = replace(found, totals={**found.totals, DEVICE_PEAK: peak})
    scopes = _scopes(report, layers)
    return tuple(_takers(report, found, layers, stem, scopes) for stem in found.stems)


def _with_peak(report: Report) -> tuple[pa.Table, int]:
    """Return the layers with what each holds at the peak, and the peak; 0 if no layer is known to hold any."""
    layers, found = report.head.layers, report.at_peak
    held = {layer.name: layer.head for layer in found.layers} if found else {}
    if found is None or not any(held.values()):
        return layers, 0
    parts = [held.get(name, 0) for name in layers["layer"].to_pylist()]
    return layers.append_column(DEVICE_PEAK, pa.array(parts, pa.int64())), found.peak


def _unlike(peak: int) -> str:
    """Return the figure of memory that is not shown beside the other one."""
    return "bytes" if peak else DEVICE_PEAK


def _takers(report: Report, found: FoldedLayers, layers: pa.Table, stem: str, scopes: pa.Array) -> Takers:
    return Takers(
        stem=stem,
        choice=_CHOICES[stem],
        table=layers_table(found, _ROWS, stem, _MEMBERS),
        links=_links(scopes, found.takers(stem)[:_ROWS], stem),
        tree=layer_tree(layers, stem, _others(found, layers, stem), scopes),
        note=_note(report, found, layers, stem),
    )


def _others(found: FoldedLayers, layers: pa.Table, stem: str) -> dict[str, Number]:
    """Return the figure of what is in no layer; at the peak also of what has no record."""
    outside = pc.sum(layers.filter(pc.is_null(layers["layer"]))[stem]).as_py() or 0
    before = found.totals[stem] - (pc.sum(layers[stem]).as_py() or 0) if stem == DEVICE_PEAK else 0
    return {IN_NO_LAYER: outside, _UNRECORDED: before}


def _note(report: Report, found: FoldedLayers, layers: pa.Table, stem: str) -> str:
    """Return how much of a figure no layer is known to have; empty if nothing."""
    if stem == DEVICE_PEAK:
        before = _others(found, layers, stem)[_UNRECORDED]
        held = format_number(before, Unit.BYTES)
        return f"Shares are of the whole peak: {held} of it was {_UNRECORDED}, mostly parameters." if before else ""
    unknown = report.unknown.get(stem, 0)
    verb = "is" if unknown == 1 else "are"
    return f"Shares are of what is known: {plural(unknown, 'node')} {verb} not counted." if unknown else ""


def _links(scopes: pa.Array, groups: Sequence[LayerGroup], stem: str) -> dict[str, str]:
    """Return the links to the scopes of layers and blocks in the live view, by their names as shown."""
    found = [each for group in groups for each in (group, *group.members(stem)[:_MEMBERS])]
    names = [each.names[0] for each in found if len(each.names) == 1]
    is_there = pc.is_in(pa.array(names, pa.string()), value_set=scopes).to_pylist()
    return {visible(name): link_to(name) for name, there in zip(names, is_there, strict=True) if name and there}


def _scopes(report: Report, layers: pa.Table) -> pa.Array:
    """Return the rows of the scope view that are layers, or scopes around them; none if the report does not have it.

    These are few, so that a search for names in them does not take all rows of the view, which may be a million.
    """
    view = report.head.views.get(VIEW)
    if view is None:
        return pa.array([], pa.string())
    around = {scope for name in layers["layer"].drop_null().to_pylist() for scope in scopes_around(name)}
    names = view.rows["name"].combine_chunks()
    return names.filter(pc.is_in(names, value_set=pa.array(sorted(around), names.type))).cast(pa.string())


def link_to(name: str) -> str:
    """Return the link to a row in the live view, which looks rows up by their displayed names.

    A shortened name may not be unique, so it links to the view.
    """
    return f"#{VIEW}={quote(visible(name), safe='/')}" if len(name) <= NAME_LIMIT else f"#view-{VIEW}"
