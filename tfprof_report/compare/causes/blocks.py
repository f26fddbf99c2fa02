"""Layers that one side alone has, as blocks and units: a residual unit is one, not seven layers.

A block is a scope in which no layer has a partner. A unit is what shares a name up to one of its numbers
(``stage2_unit3`` of ``stage2_unit3_conv1``) where the other numbers that both sides have stand for the same layers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from tfprof_report.compare.comparison import Comparison, RowStatus
from tfprof_report.record import record

_NUMBER = re.compile(r"[0-9]+")
_NUMBERS = re.compile(r"_?[0-9]+")

_Counted = tuple[str, str, object]

_MOST_NUMBERS = 8
"""Most numbers of a name that are tried."""


@record
class Unit:
    """One of several alike: `stem` is the name with ``#`` for the number that counts them, `name` with the number."""

    stem: str
    name: str


@record
class Blocks:
    """What one side alone has; each pair of fields is of base and of head.

    alone : by layer that a side alone has, its block; a layer whose name and form both changed may be another one, so
        that each side alone has it
    order : the layers in order
    partner : the name in base of each layer that both have, by its name in head
    counted : of layers that both sides have, what is before and after each number in the name, and the form
    forms : by layer its op type, and the shapes of its variables and output
    """

    alone: tuple[Mapping[str, str], Mapping[str, str]]
    order: tuple[tuple[str, ...], tuple[str, ...]]
    partner: Mapping[str, str]
    counted: tuple[frozenset[_Counted], frozenset[_Counted]]
    forms: tuple[Mapping[str, Any], Mapping[str, Any]]

    @classmethod
    def of(cls, comparison: Comparison) -> Blocks:
        """Return the blocks of a comparison."""
        both: dict[str, str] = {}
        alone: tuple[list[str], list[str]] = ([], [])
        columns = ["layer", "base_layer", "status", "base_op", "head_op", "base_weights", "head_weights"]
        for row in comparison.layers.select(columns).to_pylist():
            name, was = row["layer"], row["base_layer"]
            if row["status"] in (RowStatus.NEW, RowStatus.REMOVED) or is_doubtful(row):
                for side, each in ((0, was), (1, name if row["status"] != RowStatus.REMOVED else None)):
                    if each is not None:
                        alone[side].append(each)
            elif name is not None and was is not None:
                both[name] = was
        forms = (_forms(comparison.base.layers), _forms(comparison.head.layers))
        return cls(
            alone=(_blocks(alone[0], both.values()), _blocks(alone[1], both)),
            order=(tuple(forms[0]), tuple(forms[1])),
            partner=both,
            counted=(_all_counted(both.values(), forms[0]), _all_counted(both, forms[1])),
            forms=forms,
        )

    def block(self, layer: str, *, is_new: bool) -> str:
        """Return the block of a layer that one side alone has."""
        return self.alone[is_new].get(layer, layer)

    def unit(self, layer: str, *, is_new: bool) -> Unit | None:
        """Return the unit of a layer that one side alone has; None if it is not one of several alike.

        Both sides have to have a layer with another number in its place, of the same form.
        """
        for before, after, form in _counted(layer, self.forms[is_new].get(layer)):
            if (before, after, form) in self.counted[is_new]:
                return Unit(stem=f"{before}#", name=layer.removesuffix(after))
        return None

    def gaps(self) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
        """Return the layers that base alone has between two neighbours, and those of head between the same two."""
        olds, news = (dict(self._gaps(is_new=is_new)) for is_new in (False, True))
        return [(layers, news[gap]) for gap, layers in olds.items() if gap in news]

    def _gaps(self, *, is_new: bool) -> Iterator[tuple[tuple[str, str], tuple[str, ...]]]:
        """Yield the layers of one side alone between each two neighbours, by the names of these in base."""
        in_base = self.partner if is_new else dict.fromkeys(self.partner.values(), "")
        before, between = "", list[str]()
        for layer in (*self.order[is_new], None):
            if layer is not None and layer not in in_base:
                between.append(layer)
                continue
            known = "" if layer is None else in_base[layer] or layer
            if between:
                yield (before, known), tuple(between)
            before, between = known, []


def is_doubtful(row: Mapping[str, Any]) -> bool:
    """Return whether a matched layer has another name, not only other numbers in it, and another op or variables."""
    names = [_NUMBERS.sub("", row[column] or "") for column in ("base_layer", "layer")]
    old, new = ((row[f"{side}_op"], row[f"{side}_weights"]) for side in ("base", "head"))
    return names[0] != names[1] and old != new


def _forms(layers: Any) -> dict[str, Any]:
    rows = layers.select(["layer", "op", "weights", "output_shape"]).to_pylist()
    return {
        row["layer"]: (row["op"], repr(row["weights"]), repr(row["output_shape"]))
        for row in rows
        if row["layer"] is not None
    }


def _counted(layer: str, form: object) -> Iterator[_Counted]:
    """Yield what is before and after each number in the name of a layer, with its form."""
    for number in islice(_NUMBER.finditer(layer), _MOST_NUMBERS):
        yield layer[: number.start()], layer[number.end() :], form


def _all_counted(layers: Iterable[str], forms: Mapping[str, object]) -> frozenset[_Counted]:
    return frozenset(each for layer in layers for each in _counted(layer, forms.get(layer)))


def _blocks(alone: Iterable[str], kept: Iterable[str]) -> dict[str, str]:
    """Return the block of each layer that one side alone has, given those that both have."""
    taken = {scope for name in kept for scope in scopes_around(name)}
    return {name: next((scope for scope in scopes_around(name) if scope not in taken), name) for name in alone}


def scopes_around(name: str) -> list[str]:
    """Return the scopes of a layer, outermost first, itself last; before a slash at the start is none."""
    parts = name.split("/")
    return [scope for count in range(1, len(parts) + 1) if (scope := "/".join(parts[:count]))]
