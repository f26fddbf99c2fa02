"""The row of a report in the index of its store, from the report's summary alone."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from fractions import Fraction
from itertools import groupby
from operator import itemgetter
from typing import Any

from tfprof_report.clock import time_of
from tfprof_report.errors import OptionError
from tfprof_report.limits import INT64_LIMIT
from tfprof_report.model.measurement import Measurement
from tfprof_report.model.shapes.basis import Basis
from tfprof_report.report.folder import restore_origin, restore_total
from tfprof_report.report.store.store import Entry
from tfprof_report.report.store.usable import Unusable
from tfprof_report.schema.compatible import known_fields, version_problem
from tfprof_report.schema.index_columns import FIGURES, INDEX, SPREAD, figure_columns, spread_columns
from tfprof_report.schema.metrics import DEVICE_PEAK, IDLE, NANOS_PER_MICRO, STEP_TIMES, TRANSFER, WALL, Number

_DIGITS = 16


class NoRowError(Exception):
    """A report has no row: the kind of reason, and the reason of this one."""

    def __init__(self, kind: Unusable, why: str) -> None:
        super().__init__(why)
        self.kind, self.why = kind, why


def row_of(entry: Entry, summary: bytes) -> dict[str, Any]:
    """Return the row of a report in a store, by the columns of `INDEX`.

    Raises
    ------
    NoRowError
        As in `row_of_summary`.
    """
    place = {"model": entry.model, "commit": entry.commit, "saved": entry.saved, "report": entry.path}
    return row_of_summary(summary) | {name: _checked(name, value) for name, value in place.items()}


def row_of_summary(summary: bytes) -> dict[str, Any]:
    """Return the row of a report by the columns of `INDEX`; those of a figure that the report lacks are None.

    ``commit`` is the one that the report names. The columns that say where a store has it are None: ``model``,
    ``saved`` and ``report``.

    Raises
    ------
    NoRowError
        The summary is of a schema version that this version does not read, or is none.
    """
    try:
        content = json.loads(summary)
        if problem := version_problem(content["schema_version"]):
            raise NoRowError(Unusable.SCHEMA, problem)
        row = {
            **_facts(content),
            **_totals(content["totals"]),
            **_device_peaks(content.get("devices", ())),
            **_of_steps(WALL, "nanos", content.get("walls", ())),
            **_of_steps(IDLE, "idle_nanos", content.get("activity", ())),
            **_of_steps(TRANSFER, "transfer_bytes", content.get("activity", ())),
        }
        return {name: _checked(name, row.get(name)) for name in INDEX.names}
    except (ArithmeticError, AttributeError, LookupError, OptionError, RecursionError, TypeError, ValueError) as error:
        raise NoRowError(Unusable.DAMAGED, "its summary holds something else than any version writes") from error


def _facts(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns that say what was measured, and how."""
    origin = restore_origin(content["side"])
    basis = content.get("float_ops_basis")
    return {
        "time": _in_utc(origin.timestamp),
        "commit": origin.commit,
        "branch": origin.branch,
        "label": origin.label,
        "outcome": content["verdict"]["outcome"],
        "tool_version": content["tool_version"],
        "schema_version": content["schema_version"],
        **counting_columns(content),
        "inputs": origin.digest,
        "basis": None if basis is None else Basis(**known_fields(Basis, basis)).words,
        "steps": len(content["steps"]),
    }


def counting_columns(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns that say how a report is counted: rows with the same ``counting`` can be compared.

    `content` is its summary, or what that says of it: ``semantics``, ``options``, ``counting_version``, ``rules``.
    """
    semantics = content["semantics"]
    options = Measurement.of(content["options"], semantics).counting_options
    how = {
        "counting_version": int(content.get("counting_version", 1)),
        "rules": str(content.get("rules", "none")),
        "semantics": semantics,
        "options": _canonical(options),
    }
    return {**how, "counting": hashlib.sha256(_canonical(how).encode()).hexdigest()[:_DIGITS]}


def _canonical(value: Mapping[str, Any]) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def _in_utc(text: str | None) -> datetime | None:
    """Return the time of a report; None if it is not a date, or is none in UTC."""
    time = time_of(text)
    try:
        return time and time.astimezone(UTC)
    except OverflowError:
        return None


def _totals(listed: Iterable[dict[str, Any]]) -> dict[str, Any]:
    totals = {total.stem: total for total in map(restore_total, listed)}
    return {
        column: value
        for stem in FIGURES
        if stem in totals
        for column, value in _figure(stem, totals[stem].value, totals[stem].unknown).items()
    }


def _figure(stem: str, value: Number | None, unknown: int) -> dict[str, Any]:
    """Return the columns of a figure that `unknown` of its parts lack, so that `value` is a lower bound."""
    if unknown < 0:
        raise ValueError(unknown)
    exact = (value, None, None if value is None else 0)  # a total that no integer holds is in no column
    return dict(zip(figure_columns(stem), (None, value, unknown) if unknown else exact, strict=True))


def _device_peaks(listed: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the columns of the highest peak of any device in any step, and of the least and most over steps."""
    found = [(int(each["step"]), _int(each["device_peak_bytes"])) for each in listed]
    known = [(step, peak) for step, peak in found if peak is not None]
    row = _figure(DEVICE_PEAK, max((peak for _, peak in known), default=None), len(found) - len(known))
    of_steps = [max(peak for _, peak in group) for _, group in groupby(sorted(known), key=itemgetter(0))]
    return row | (_spread(DEVICE_PEAK, of_steps) if len(known) == len(found) else {})


def _of_steps(stem: str, key: str, listed: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the columns of the mean of a figure of steps, and of the least and most of a time, in microseconds.

    The mean over some of the steps would be no lower bound.
    """
    found = [_int(each[key]) for each in listed]
    known = [each for each in found if each is not None]
    if len(known) < len(found):
        return _figure(stem, None, len(found) - len(known))
    parts = NANOS_PER_MICRO if stem in STEP_TIMES else 1
    mean = float(Fraction(sum(known), len(known) * parts)) if known else None
    return _figure(stem, mean, 0) | (_spread(stem, [each / parts for each in known]) if stem in SPREAD else {})


def _spread(stem: str, of_steps: list[Any]) -> dict[str, Any]:
    return dict(zip(spread_columns(stem), (min(of_steps), max(of_steps)), strict=True)) if of_steps else {}


def _int(value: int | str | None) -> int | None:
    """Return an integer from its JSON, in which large ones are strings."""
    return None if value is None else int(value)


_KINDS: Mapping[str, type] = {
    field.name: {"string": str, "double": float, "int64": int}.get(str(field.type), datetime) for field in INDEX
}


def _checked(name: str, value: Any) -> Any:
    """Return the value of a column; a TypeError or ValueError if the column cannot hold it."""
    kind = _KINDS[name]
    if value is None:
        return None
    if kind is float and type(value) is int:
        value = float(value)
    if type(value) is not kind:
        raise TypeError(value)
    match value:
        case str():
            value.encode()
        case int() if not -INT64_LIMIT <= value < INT64_LIMIT:
            raise OverflowError(value)
        case float() if not math.isfinite(value):
            raise ValueError(value)
    return value
