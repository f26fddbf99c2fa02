"""tfprof's options as one frozen dataclass with tfprof's names. The CLI and the Python API build it, views read it."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

from tfprof_report.errors import OptionError
from tfprof_report.limits import INT64_LIMIT
from tfprof_report.old_names import Place, now
from tfprof_report.record import record
from tfprof_report.semantics import Semantics

SELECT = (
    "bytes",
    "micros",
    "params",
    "float_ops",
    "macs",
    "tensor_value",
    "device",
    "op_types",
    "occurrence",
    "input_shapes",
    "accelerator_micros",
    "cpu_micros",
    "peak_bytes",
    "residual_bytes",
    "output_bytes",
)
"""Attributes that `select` accepts: those of tfprof, and `OWN_WORDS`."""

WORDS = ("tensor_value", "device", "op_types", "input_shapes")
"""Attributes of `SELECT` that are not figures."""

ORDER_BY = (
    "name",
    "bytes",
    "peak_bytes",
    "residual_bytes",
    "output_bytes",
    "micros",
    "accelerator_micros",
    "cpu_micros",
    "params",
    "float_ops",
    "macs",
    "occurrence",
)
"""Attributes that `order_by` accepts besides the empty string, which means no sorting."""

OWN_WORDS = ("macs",)
"""Attributes of `SELECT` and `ORDER_BY` that tfprof lacks."""

MATCH_ALL = (".*",)
_NOTHING: dict[str, Any] = {"account_type_regexes": (), "start_name_regexes": (), "show_name_regexes": (), "select": ()}


UNLIMITED_DEPTH = 2**31 - 1
MEAN_OF_STEPS = -1


@record
class Options:
    """tfprof's options, with the defaults of tfprof's command line.

    Minimums are in the unit of their figure (bytes, microseconds, elements, FLOPs, runs), `max_depth` in levels.
    `step` -1 means the mean over all steps. Regexes are RE2 and match the whole name or type.
    """

    max_depth: int = 10
    min_bytes: int = 0
    min_peak_bytes: int = 0
    min_residual_bytes: int = 0
    min_output_bytes: int = 0
    min_micros: int = 0
    min_accelerator_micros: int = 0
    min_cpu_micros: int = 0
    min_params: int = 0
    min_float_ops: int = 0
    min_occurrence: int = 0
    step: int = -1
    order_by: str = "name"
    account_type_regexes: tuple[str, ...] = MATCH_ALL
    start_name_regexes: tuple[str, ...] = MATCH_ALL
    trim_name_regexes: tuple[str, ...] = ()
    show_name_regexes: tuple[str, ...] = MATCH_ALL
    hide_name_regexes: tuple[str, ...] = ()
    account_displayed_op_only: bool = False
    select: tuple[str, ...] = ("micros",)

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if field.type == "int" and not -INT64_LIMIT <= value < INT64_LIMIT:
                raise OptionError(f"{value} is outside the 64-bit range", option=flag(field.name))

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any], semantics: Semantics) -> Options:
        """Build options from a dict as tfprof's Python API takes it; unknown keys are ignored, as tfprof does.

        A missing key has the default of the command line, except that under tfprof's semantics a missing list is empty.
        """
        known = {field.name for field in fields(cls)}
        defaults = cls(**_NOTHING) if semantics.missing_lists_match_nothing else cls()
        given: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list | tuple) else value
            for key, value in mapping.items()
            if key in known
        }
        return dataclasses.replace(defaults, **given)

    def as_dict(self) -> dict[str, Any]:
        """Return the options as JSON types, in tfprof's order."""
        return {
            field.name: list(value) if isinstance(value := getattr(self, field.name), tuple) else value
            for field in fields(self)
        }


COUNTING_OPTIONS = ("step", "account_type_regexes", "account_displayed_op_only")
"""Options that change the figures of rows; the others choose which rows and columns are shown and in which order."""

REPORT_OPTIONS = Options(
    max_depth=UNLIMITED_DEPTH,
    order_by="float_ops",
    select=tuple(sorted(word for word in SELECT if word not in WORDS)),
)
"""Defaults of reports: all figures, the most FLOPs first, no depth limit."""


def flag(name: str) -> str:
    """Return the command line spelling of an option's name: ``max_depth`` -> ``--max-depth``."""
    return "--" + name.replace("_", "-")


def split_list(values: Iterable[str]) -> tuple[str, ...]:
    r"""Split the values of a repeatable, comma-separated list option: ``["a,b", "c"]`` -> ``("a", "b", "c")``.

    ``\,`` is a literal comma. Empty items are dropped, so an empty string is an empty list, as in tfprof.
    """
    items: list[str] = []
    for value in values:
        parts = value.replace("\\,", "\0").split(",")
        items += [part.replace("\0", ",") for part in parts if part]
    return tuple(items)


def old_options(mapping: Mapping[str, Any], semantics: Semantics) -> tuple[str, ...]:
    """Return a warning for each key of an option dict that only earlier releases of tfprof took.

    Raises
    ------
    OptionError
        There is one, and the semantics do not accept it.
    """
    errors = [
        OptionError("is not known", option=f'options "{key}"', advice=advice)
        for key in mapping
        if (advice := now(Place.OPTION, key)) is not None
    ]
    if errors and not semantics.accept_unknown_attributes:
        raise errors[0]
    return tuple(map(str, errors))


def unknown_word(word: str, *, option: str, known: Iterable[str], place: Place | None = None) -> OptionError:
    """Return the error for a word that is not one of `known`, with what `hint_at` says."""
    return OptionError(f'"{word}" is not known', option=option, advice=hint_at(word, known, place))


def hint_at(word: str, known: Iterable[str], place: Place | None = None) -> str:
    """Return a hint at the known word closest to `word`, or at all of them if none is close.

    With a `place` where earlier releases of tfprof took other words, it is what to write in place of such a word.
    """
    if place is not None and (advice := now(place, word)) is not None:
        return advice
    known = sorted(known)
    close = difflib.get_close_matches(word, known, n=1) or [name for name in known if word and name.startswith(word)]
    return f"did you mean {close[0]}?" if close else f"choose from {', '.join(known)}"
