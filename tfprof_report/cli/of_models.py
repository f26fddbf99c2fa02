"""Gates and accepted changes that are for some of several models, by a glob over their names."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import pyarrow as pa

from tfprof_report.compare.globs import check_glob, matches
from tfprof_report.compare.policy import ANY_NAME
from tfprof_report.errors import OptionError
from tfprof_report.options import hint_at

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True, kw_only=True)
class OfModels(Generic[Item]):
    """An item that is for the models whose name `glob` matches, or for all. `source` is where it was written."""

    item: Item
    source: str
    glob: str = ANY_NAME

    def __post_init__(self) -> None:
        check_glob(self.glob, option=self.source)

    def is_for(self, name: str) -> bool:
        """Return whether it is for the model of this name."""
        return bool(matches(pa.array([name]), self.glob)[0])


def of_model(items: Sequence[OfModels[Item]], name: str | None) -> tuple[Item, ...]:
    """Return the items for one model, which has no name where it is reported alone and without a label.

    Raises
    ------
    OptionError
        An item is for some models, and this one has no name: it may be meant or not.
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
    """Raise OptionError if an item is for models that there are not: it would say nothing, and nobody would know."""
    for each in items:
        if not any(map(each.is_for, names)):
            raise OptionError(f'no model is called "{each.glob}"', option=each.source, advice=hint_at(each.glob, names))
