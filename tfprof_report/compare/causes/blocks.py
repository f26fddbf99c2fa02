"""Layers that one side alone has, as blocks and units: a residual unit is one, not seven layers.

A block is a scope in which no layer has a partner. A unit is what shares a name up to one of its numbers
(``stage2_unit3`` of ``stage2_unit3_conv1``) where the other numbers that both sides have stand for the same layers.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tfprof_report.compare.comparison import Comparison, RowStatus
from tfprof_report.record import record

_NUMBER = re.compile(r"[0-9]+")
_NUMBERS = re.compile(r"_?[0-9]+")

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
    kept : by scope of layers that both sides have, the layers in it
    forms : by layer its op type, and the shapes of its variables and output
    """

    alone: tuple[Mapping[str, str], Mapping[str, str]]
    order: tuple[tuple[str, ...], tuple[str, ...]]
    partner: Mapping[str, str]
    kept: tuple[Mapping[str, frozenset[str]], Mapping[str, frozenset[str]]]
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
        kept = (_below(both.values()), _below(both))
        forms = (_forms(comparison.base.layers), _forms(comparison.head.layers))
        return cls(
            alone=(_blocks(alone[0], kept[0]), _blocks(alone[1], kept[1])),
            order=(tuple(forms[0]), tuple(forms[1])),
            partner=both,
            kept=kept,
            forms=forms,
        )

    def block(self, layer: str, *, is_new: bool) -> str:
        """Return the block of a layer that one side alone has."""
        return self.alone[is_new].get(layer, layer)

    def unit(self, layer: str, *, is_new: bool) -> Unit | None:
        """Return the unit of a layer that one side alone has; None if it is not one of several alike.

        Both sides have to have a layer with another number in its place, of the same form.
        """
        form = self.forms[is_new].get(layer)
        kept = self.kept[is_new]
        for number in list(_NUMBER.finditer(layer))[:_MOST_NUMBERS]:
            start, end = number.span()
            pattern = re.compile(f"{re.escape(layer[:start])}[0-9]+{re.escape(layer[end:])}")
            alike = (other for other in self._named_like(layer[:start], kept) if pattern.fullmatch(other))
            if any(self.forms[is_new].get(other) == form for other in alike):
                return Unit(stem=f"{layer[:start]}#", name=layer[:end])
        return None

    def _named_like(self, beginning: str, kept: Mapping[str, frozenset[str]]) -> Iterable[str]:
        """Return the layers that both sides have in the innermost scope that a name begins with."""
        scope = beginning.rpartition("/")[0]
        return kept.get(scope, frozenset())

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


def _below(names: Iterable[str]) -> dict[str, frozenset[str]]:
    """Return the layers in each scope, itself included; the empty scope has all."""
    found: dict[str, set[str]] = defaultdict(set)
    for name in names:
        for scope in ("", *_scopes(name)):
            found[scope].add(name)
    return {scope: frozenset(below) for scope, below in found.items()}


def _blocks(names: Iterable[str], kept: Mapping[str, object]) -> dict[str, str]:
    return {name: next((scope for scope in _scopes(name) if scope not in kept), name) for name in names}


def _scopes(name: str) -> list[str]:
    """Return the scopes of a layer, outermost first, itself last."""
    parts = name.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]
