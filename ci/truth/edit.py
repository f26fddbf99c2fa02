"""What an edit is: two sides, and the causes that explain the difference."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from truth.net import Side

Names = list[str]


@dataclass(frozen=True)
class Cause:
    """One thing that a person changed.

    Parameters
    ----------
    kind
        One of `KINDS`.
    base, head
        Names of the layers that it touched, in order, on each side; none where there is none.
    sizes
        What changed its size, and the size on each side.
    count
        How many layers or repeated units there are on each side, where that matters.
    accepted
        Other kinds that are also right.
    """

    kind: str
    base: Names = field(default_factory=list)
    head: Names = field(default_factory=list)
    sizes: tuple[str, Any, Any] | None = None
    count: tuple[str, int, int] | None = None
    accepted: Names = field(default_factory=list)

    def facts(self) -> dict[str, Any]:
        """Return the cause for JSON."""
        if self.kind not in KINDS:
            raise ValueError(f"{self.kind} is no kind of cause")
        found: dict[str, Any] = {"kind": self.kind, "base": self.base, "head": self.head}
        for name, value in (("sizes", self.sizes), ("count", self.count)):
            if value is not None:
                found[name] = dict(zip(("of", "base", "head"), value, strict=True))
        return found | ({"accepted": self.accepted} if self.accepted else {})


KINDS = {
    "wider": "a size that the user chose is another: channels, units, rows; also a smaller one",
    "deeper": "a repeated unit is there more or fewer times",
    "layer_added": "a layer is new",
    "layer_removed": "a layer is gone",
    "layer_replaced": "another layer stands in the place of one",
    "dtype": "numbers have another type",
    "batch": "more or fewer inputs at once",
    "kernel": "a convolution has another kernel size",
    "stride": "a convolution has another stride",
    "sequence_length": "sentences have another length",
    "fused": "several ops became one",
    "unfused": "one op became several",
    "weights_shared": "two layers have the same weights",
    "optimizer": "another optimizer",
    "names_only": "nothing but names",
    "now_unknown": "an op took the place of known ones, and nobody knows what it costs",
    "unknown": "none of these",
}


@dataclass(frozen=True)
class Edit:
    """Two graphs, and what a person changed between them.

    Parameters
    ----------
    base, head
        Make the sides, each in a process of its own.
    sentence
        What a colleague would say.
    causes
        The changes; none if nothing changed.
    follows
        Layers, by name in base, that changed only because of a cause: their input is another.
    renamed
        Layers that are the same under another name: name in base, name in head.
    """

    base: Callable[[], Side]
    head: Callable[[], Side]
    sentence: str
    causes: list[Cause] = field(default_factory=list)
    follows: Names = field(default_factory=list)
    renamed: list[tuple[str, str]] = field(default_factory=list)
