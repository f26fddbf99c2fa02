"""Folds layers into rows that a reader takes in: blocks that repeat are one row, and so are layers that are alike."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import exact_sum
from tfprof_report.compare.causes.folded_names import beginnings
from tfprof_report.record import record
from tfprof_report.render.tables.cells import NAME_LIMIT
from tfprof_report.schema.metrics import SUMMED_STEMS, Number

FIGURES = ("float_ops", "trainable_params", "bytes", "micros")
"""Figures of layers that are shown, in order."""

_FORM = ("op", "params", "float_ops", "backward_float_ops", "weights", "op_input_shapes", "output_shape")
"""Columns that are equal in layers that are alike."""

_MOST = 2000
"""Most layers that are folded, those with the most of each figure; of more, the others are only in the file."""

_NEARLY_ALL = 0.8
"""Share of all layers from which on alike blocks are not folded: a model in one row says nothing."""

_NUMBER = re.compile(r"_?[0-9]+")
_LAST_NUMBER = re.compile(r"^(.*?)(?:_?([0-9]{1,18}))?$", re.DOTALL)

_Row = Mapping[str, Any]


@record
class LayerGroup:
    """Layers in one row: alike ones, or those of alike blocks.

    parts : the name of each layer or block, None for nodes in no layer, and its layers with columns of layers.parquet
    """

    parts: tuple[tuple[str | None, tuple[_Row, ...]], ...]

    @property
    def names(self) -> tuple[str | None, ...]:
        """The names of the layers or of the blocks."""
        return tuple(name for name, _ in self.parts)

    @property
    def rows(self) -> tuple[_Row, ...]:
        """All layers."""
        return tuple(row for _, rows in self.parts for row in rows)

    @property
    def is_alike(self) -> bool:
        """Whether there are several layers or blocks, which are alike then."""
        return len(self.parts) > 1

    def members(self, stem: str) -> tuple[LayerGroup, ...]:
        """Return what the row opens to: its layers or blocks; the layers of a single block, the most of `stem` first.

        A single layer opens to nothing.
        """
        if self.is_alike:
            return tuple(LayerGroup(parts=(part,)) for part in self.parts)
        rows = sorted(self.rows, key=lambda row: -(row[stem] or 0))
        return tuple(LayerGroup(parts=((row["layer"], (row,)),)) for row in rows) if len(rows) > 1 else ()

    def total(self, stem: str) -> Number | None:
        """Return the sum of a figure over what is known of it; None if nothing is."""
        known = [row[stem] for row in self.rows if row[stem] is not None]
        return sum(known) if known else None

    def unknown(self, stem: str) -> int:
        """Return the number of nodes that a total lacks."""
        return sum(row[f"unknown_{stem}"] or 0 for row in self.rows) if stem in SUMMED_STEMS else 0

    @property
    def main(self) -> _Row:
        """The layer with the most FLOPs, the first of several."""
        return max(self.rows, key=lambda row: row["float_ops"] or 0)


def counts_on(names: Sequence[str | None]) -> bool:
    """Return whether names differ in a last number alone, which counts on from each to the next."""
    ends = [_LAST_NUMBER.match(name) for name in names if name is not None]
    parts = [(end[1], int(end[2] or 0)) for end in ends if end]
    return len(parts) > 1 and parts == [(parts[0][0], parts[0][1] + place) for place in range(len(parts))]


@record
class FoldedLayers:
    """The layers of one side as groups.

    left_out : the number of layers that are in no group, since others have more of each figure
    stems : the figures that any layer has
    totals : the sum of each figure over what is known of it
    """

    groups: tuple[LayerGroup, ...]
    left_out: int
    stems: tuple[str, ...]
    totals: Mapping[str, Number]

    def ranked(self, stem: str) -> list[LayerGroup]:
        """Return the groups with the largest figure first, then with the most parameters."""
        return sorted(self.groups, key=lambda group: (-(group.total(stem) or 0), -(group.total("params") or 0)))

    def takers(self, stem: str) -> list[LayerGroup]:
        """Return the groups that have any of a figure, or may have, the largest first."""
        return [group for group in self.ranked(stem) if group.total(stem) != 0 or group.unknown(stem)]


def fold_layers(layers: pa.Table, figures: Sequence[str] = FIGURES) -> FoldedLayers:
    """Return the layers of layers.parquet as groups, with those of `figures` that any has.

    A block is what several layers share at the beginning of their names, up to a number or a scope. Blocks whose names
    differ in their last number, and whose layers are alike, one by one, are one group. Beside them, blocks with another
    number that have other layers are groups of their own. Elsewhere layers that are alike are one group: same op,
    shapes and figures, and names that differ in numbers only.
    """
    stems = tuple(
        stem
        for stem in figures
        if layers[stem].null_count < layers.num_rows and pc.any(pc.not_equal(layers[stem], 0)).as_py()
    )
    columns = dict.fromkeys(
        ("layer", "code_line", *_FORM, *stems, *(f"unknown_{stem}" for stem in stems if stem in SUMMED_STEMS))
    )
    chosen = _largest(layers, stems)
    return FoldedLayers(
        groups=tuple(_groups(chosen.select(list(columns)).to_pylist())),
        left_out=layers.num_rows - chosen.num_rows,
        stems=stems,
        totals={stem: _sum(layers[stem]) for stem in stems},
    )


def _largest(layers: pa.Table, stems: Sequence[str]) -> pa.Table:
    """Return the layers with the most of each figure, in their order; all of them up to `_MOST`."""
    if layers.num_rows <= _MOST or not stems:
        return layers.slice(0, _MOST)
    places = [pc.sort_indices(layers, [(stem, "descending")]).slice(0, _MOST // len(stems)) for stem in stems]
    found = pc.unique(pa.concat_arrays(places))
    return layers.take(found.take(pc.array_sort_indices(found)))


def _sum(values: pa.ChunkedArray) -> Number:
    total: Number = exact_sum(values) if pa.types.is_integer(values.type) else pc.sum(values).as_py()
    return total


def _groups(rows: Sequence[_Row]) -> Iterator[LayerGroup]:
    names = [row["layer"] for row in rows]
    forms = [repr([row[column] for column in _FORM]) for row in rows]
    for parts in fold_names(names, forms):
        yield LayerGroup(parts=tuple((name, tuple(rows[place] for place in places)) for name, places in parts.items()))


def fold_names(names: Sequence[str | None], forms: Sequence[Hashable]) -> Iterator[dict[str | None, list[int]]]:
    """Yield the groups of layers that have `names`: for each layer or block of a group the places of its layers.

    Layers with equal `forms` are alike; blocks are alike if their layers are.
    """
    codes = _numbers(forms)
    block_of, group_of = _blocks(names, codes)
    found: dict[object, dict[str | None, list[int]]] = defaultdict(lambda: defaultdict(list))
    for place, (name, form) in enumerate(zip(names, codes, strict=True)):
        block = block_of.get(name)
        alike = (name is not None and _NUMBER.sub("", name), form)
        found[alike if block is None else group_of[block]][block or name].append(place)
    for parts in found.values():
        yield {name: parts[name] for name in _in_order(list(parts))}


def _in_order(names: list[str | None]) -> list[str | None]:
    """Return names that differ in their last number alone by that number, others as they are."""
    ends = {name: found for name in names if name is not None and (found := _LAST_NUMBER.match(name))}
    if len({end[1] for end in ends.values()}) != 1:
        return names
    return sorted(names, key=lambda name: int(ends[name][2] or 0) if name is not None else 0)


def _numbers(words: Iterable[Hashable]) -> list[int]:
    """Return a number for each word, the same for equal ones."""
    known: dict[Hashable, int] = {}
    return [known.setdefault(word, len(known)) for word in words]


def _blocks(names: Sequence[str | None], forms: Sequence[int]) -> tuple[dict[str | None, str], dict[str, int]]:
    """Return the block of each layer that is in one, the outermost of several, and a number for alike blocks."""
    starts = {name: _starts(name) for name in names if name is not None}
    members: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for name, form in zip(names, forms, strict=True):
        if name is not None:
            for block in starts[name]:
                members[block].append((_NUMBER.sub("", name[len(block) :]), form))
    blocks = [block for block, layers in members.items() if len(layers) > 1]
    stems = [_stem(block) for block in blocks]
    signatures = _numbers((stem, *sorted(members[block])) for stem, block in zip(stems, blocks, strict=True))
    families: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    for stem, signature, block in zip(stems, signatures, blocks, strict=True):
        families[stem][signature].append(block)
    sizes = {block: len(members[block]) for block in blocks}
    group_of = {
        block: signature
        for family in families.values()
        if _repeats(family.values(), sizes, _NEARLY_ALL * len(starts))
        for signature, alike in family.items()
        for block in alike
    }
    inner = {name: [block for block in found if block in group_of] for name, found in starts.items()}
    return {name: found[0] for name, found in inner.items() if found}, group_of


def _starts(name: str) -> list[str]:
    """Return the beginnings of a name that may be blocks, the shortest first."""
    return list(beginnings(name)) if len(name) <= NAME_LIMIT else []


def _stem(block: str) -> str:
    found = _LAST_NUMBER.match(block)
    return found[1] if found else block


def _repeats(alike: Iterable[Sequence[str]], sizes: Mapping[str, int], limit: float) -> bool:
    """Return whether any blocks are alike, and none of them are nearly all of the model."""
    repeated = [sum(sizes[block] for block in blocks) for blocks in alike if len(blocks) > 1]
    return bool(repeated) and max(repeated) < limit
