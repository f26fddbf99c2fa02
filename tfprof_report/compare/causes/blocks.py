"""Blocks of layers that one side alone has: a residual unit is one block, not seven layers."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

from tfprof_report.compare.comparison import Comparison, RowStatus
from tfprof_report.record import record

_LAST_NUMBER = re.compile(r"_?[0-9]+(?=[^0-9]*$)")


@record
class Blocks:
    """The blocks of both sides; a side is new (head) or not (base).

    alone : per side, by layer that it alone has, its block: the outermost scope in which every layer is
    order : per side the layers in order
    partner : for each layer that both sides have, its name in base, by its name in head
    kept : per side, by scope of the layers that both have, the names of layers below it
    """

    alone: tuple[Mapping[str, str], Mapping[str, str]]
    order: tuple[tuple[str, ...], tuple[str, ...]]
    partner: Mapping[str, str]
    kept: tuple[Mapping[str, frozenset[str]], Mapping[str, frozenset[str]]]

    @classmethod
    def of(cls, comparison: Comparison) -> Blocks:
        """Return the blocks of a comparison."""
        table = comparison.layers.select(["layer", "base_layer", "status"])
        both: dict[str, str] = {}
        alone: tuple[list[str], list[str]] = ([], [])
        for row in table.to_pylist():
            name, status = row["layer"], row["status"]
            if name is None:
                continue
            if status in (RowStatus.NEW, RowStatus.REMOVED):
                alone[status == RowStatus.NEW].append(name)
            elif row["base_layer"] is not None:
                both[name] = row["base_layer"]
        kept = (_below(both.values()), _below(both))
        orders = (
            tuple(name for name in side.layers["layer"].to_pylist() if name is not None)
            for side in (comparison.base, comparison.head)
        )
        first, second = orders
        return cls(
            alone=(_blocks(alone[0], kept[0]), _blocks(alone[1], kept[1])),
            order=(first, second),
            partner=both,
            kept=kept,
        )

    def block(self, layer: str, *, is_new: bool) -> str:
        """Return the block of a layer that one side alone has."""
        return self.alone[is_new].get(layer, layer)

    def beside(self, block: str, *, is_new: bool) -> tuple[str, ...]:
        """Return the blocks of layers that both sides have that are named like this one but for the last number.

        They hold layers of the same names: then the block is one more, or one less, of its kind.
        """
        own = frozenset(_relative(layer, block) for layer, of in self.alone[is_new].items() if of == block)
        stem, kept = _LAST_NUMBER.sub("#", block, count=1), self.kept[is_new]
        if "#" not in stem:
            return ()
        return tuple(
            scope
            for scope, below in kept.items()
            if _LAST_NUMBER.sub("#", scope, count=1) == stem
            and frozenset(_relative(layer, scope) for layer in below) == own
        )

    def replaced(self) -> dict[str, str]:
        """Return blocks that stand in for one another: each the only one between the same neighbours."""
        gaps = [self._gaps(is_new=is_new) for is_new in (False, True)]
        pairs = {}
        for gap, olds in gaps[0].items():
            news = gaps[1].get(gap, [])
            if len(olds) == len(news) == 1:
                pairs[olds[0]], pairs[news[0]] = news[0], olds[0]
        return pairs

    def _gaps(self, *, is_new: bool) -> dict[tuple[str, str], list[str]]:
        """Return the blocks of one side alone between each two neighbours, by the names of these in base."""
        in_base = self.partner if is_new else {name: name for name in self.partner.values()}
        found: dict[tuple[str, str], list[str]] = defaultdict(list)
        before, between = "", []
        for layer in (*self.order[is_new], None):
            known = "" if layer is None else in_base.get(layer)
            if known is None and layer is not None:
                between.append(self.block(layer, is_new=is_new))
                continue
            if between:
                found[before, known or ""] = list(dict.fromkeys(between))
            before, between = known or "", []
        return found


def _below(names: Iterable[str]) -> dict[str, frozenset[str]]:
    """Return the names in and below each scope, a name itself included."""
    found: dict[str, set[str]] = defaultdict(set)
    for name in names:
        for scope in _scopes(name):
            found[scope].add(name)
    return {scope: frozenset(below) for scope, below in found.items()}


def _blocks(names: Iterable[str], kept: Mapping[str, object]) -> dict[str, str]:
    return {name: next((scope for scope in _scopes(name) if scope not in kept), name) for name in names}


def _scopes(name: str) -> list[str]:
    """Return the scopes of a layer, outermost first, itself last."""
    parts = name.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]


def _relative(layer: str, scope: str) -> str:
    return layer[len(scope) :]
