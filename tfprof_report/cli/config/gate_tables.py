"""The gates of a rules file, or the default gates; each may be limited to some models."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Generic, TypeVar

import pyarrow as pa

from tfprof_report.compare.gates.globs import check_glob, matches
from tfprof_report.compare.gates.grammar import DEFAULT_GATES, parse_gate
from tfprof_report.compare.gates.policy import AGAINST, ANY_NAME, SINCE, Gate, Level, Subject
from tfprof_report.errors import OptionError
from tfprof_report.options import hint_at
from tfprof_report.record import record

GLOBS = tuple(subject.value for subject in Subject if subject is not Subject.MODEL)
"""Keys of a gate that choose rows; a gate may have at most one of them."""

Item = TypeVar("Item")


@record
class OfModels(Generic[Item]):
    """An item for all models, or for those whose name `glob` matches. `source` is where it was written."""

    item: Item
    source: str
    glob: str = ANY_NAME

    def __post_init__(self) -> None:
        check_glob(self.glob, option=self.source)

    def is_for(self, name: str) -> bool:
        """Return whether it is for the model of this name."""
        return bool(matches(pa.array([name]), self.glob)[0])


def of_model(items: Sequence[OfModels[Item]], name: str | None) -> tuple[Item, ...]:
    """Return the items for one model; `name` is None if it is reported alone and without a label.

    Raises
    ------
    OptionError
        An item is for named models, and this one has no name, so it is unclear whether the item applies.
    """
    for each in items:
        if name is None and each.glob != ANY_NAME:
            raise OptionError(
                f'is for models called "{each.glob}", and this one has no name',
                option=each.source,
                advice="name it with --label, or leave out the key model",
            )
    return tuple(each.item for each in items if name is None or each.is_for(name))


def check_models(items: Sequence[OfModels[Item]], names: Collection[str]) -> None:
    """Raise OptionError if an item matches no model: it would be ignored without notice."""
    for each in items:
        if not any(map(each.is_for, names)):
            raise OptionError(f'no model is called "{each.glob}"', option=each.source, advice=hint_at(each.glob, names))


def gates_of(
    entries: Sequence[str | Mapping[str, Any]] | None, path: str, owner: str = "", folder: str = ""
) -> tuple[OfModels[Gate], ...]:
    """Return the gates of a file in order; if `entries` is None, the default gates.

    `owner` is that of gates without one; paths in gates are relative to `folder`.

    Raises
    ------
    OptionError
        An entry is not a gate; the message has its number.
    """
    if entries is None:
        return tuple(OfModels(item=replace(gate, owner=owner), source=gate.source) for gate in DEFAULT_GATES)
    return tuple(_gate(entry, f"{path}, gate {number}", owner, folder) for number, entry in enumerate(entries, 1))


def _gate(entry: str | Mapping[str, Any], source: str, owner: str, folder: str) -> OfModels[Gate]:
    table: Mapping[str, Any] = {"gate": entry} if isinstance(entry, str) else entry
    subject = next((name for name in GLOBS if name in table), Subject.MODEL)
    gate = parse_gate(
        table["gate"],
        option=source,
        subject=Subject(subject),
        glob=table.get(subject, ""),
        level=Level(table.get("level", Level.FAIL)),
        is_optional=table.get("optional", False),
        unknown_ok=table.get("unknown_ok", ()),
        source=source,
        owner=table.get("owner", owner),
        since=table.get(SINCE, ""),
        against=table.get(AGAINST, ""),
        folder=folder,
    )
    return OfModels(item=gate, source=source, glob=table.get("model", ANY_NAME))
