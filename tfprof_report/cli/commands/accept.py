"""The command `accept`: print entries for an acknowledged file that accept the changes that failed a report's gates."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import date
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tfprof_report.cli.console import echo, say
from tfprof_report.cli.params.small_commands import AcceptValues
from tfprof_report.compare.comparison import RowStatus
from tfprof_report.compare.gates.acknowledged_toml import Own, acceptable, accepted_toml
from tfprof_report.compare.gates.verdict import Outcome
from tfprof_report.errors import InputError, OptionError, not_utf8
from tfprof_report.options import hint_at
from tfprof_report.render.machine.verdict_json import VERSION
from tfprof_report.report.unfinished import why_half_written
from tfprof_report.schema.files import VERDICT, table_file
from tfprof_report.schema.metrics import METRICS, Kind

_NODES, _DIFF_NODES = table_file("nodes"), table_file("diff_nodes")
_CONTENT_ERRORS = (ArithmeticError, AttributeError, LookupError, OptionError, RecursionError, TypeError, ValueError)
"""Errors that content not written by this version may raise."""


def print_accepted(values: AcceptValues) -> None:
    """Print entries for all failed gates of a report; on standard error, what cannot be accepted and why.

    Raises
    ------
    OptionError
        The reason is empty, the day is not a date, or there is no such model.
    InputError
        The folder is half written, or has no verdict.json of this version.
    """
    reason, expires = _reason(values.reason), _day(values.expires)
    folder, only = Path(values.dir), values.model
    file = folder / VERDICT
    if half_written := why_half_written(values.dir):  # its verdict may be of the report before
        raise InputError(half_written.problem, file=values.dir, advice=half_written.advice)
    verdict = _read(file)
    try:
        _check_model(only, _names(verdict))
        models = [model for model in _models(verdict, folder) if only in (None, model[0])]
        found = {name: acceptable(content, _node_figures(place)) for name, content, place in models}
        outcomes = {Outcome(content["status"]) for _, content, _ in models}
    except _UnknownModelError:
        raise
    except _CONTENT_ERRORS as error:
        raise _no_verdict(file, "holds something else than this version writes", error) from error
    has_names = only is not None or "models" in verdict
    for name, each in found.items():
        text = accepted_toml(each.entries, reason=reason, expires=expires, model=name if has_names else None)
        echo(text, nl=False)
    for name, each in found.items():
        for note in each.notes:
            say(f"{name}: {note}" if has_names else note)
    if not any(each.failed for each in found.values()):
        words = "nothing was judged" if outcomes == {Outcome.NOT_JUDGED} else "no gate failed"
        say(f"{values.dir}: {words}, so there is nothing to accept")


class _UnknownModelError(OptionError):
    """The report has no model of this name."""


def _reason(text: str) -> str:
    reason = " ".join(text.split())
    if not reason or not _is_text(reason):
        raise OptionError("is empty, or not text", option="--reason", advice="say why, in a sentence")
    return reason


def _day(text: str) -> date:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        day = None
    if day is None or day.isoformat() != text:  # Python accepts other formats too, TOML does not
        raise OptionError(f'"{text}" is not a date', option="--expires", advice="write it as 2027-01-31")
    return day


def _read(file: Path) -> Mapping[str, Any]:
    """Return the content of a verdict.json of this version."""
    try:
        content = json.loads(file.read_bytes().decode())
    except OSError as error:
        raise _no_verdict(file, f"cannot be read ({error.strerror})", error) from error
    except UnicodeDecodeError as error:
        raise _no_verdict(file, not_utf8(error), error) from error
    except (RecursionError, ValueError) as error:  # ValueError: not JSON, or a NUL in the name of the folder
        raise _no_verdict(file, "is not JSON", error) from error
    version = content.get("verdict_version") if isinstance(content, dict) else None
    if version != VERSION or not isinstance(content, dict):
        raise _no_verdict(file, f"verdict_version is not {VERSION}")
    return content


def _no_verdict(file: Path, problem: str, error: Exception | None = None) -> InputError:
    return InputError(
        problem,
        file=str(file),
        advice="give the folder of a report that this version wrote",
        details=f"{type(error).__name__}: {error}" if error else None,
    )


def _names(verdict: Mapping[str, Any]) -> list[str]:
    """Return the names of the models; of a report of one model its label, if it has one."""
    names = [name for name, _, _ in _models(verdict, Path())]
    if not all(_is_text(name) for name in names if name is not None):
        raise ValueError("a name is not text")
    return [name for name in names if name is not None]


def _is_text(text: str) -> bool:
    """Return whether text can be encoded as UTF-8; lone surrogates cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _check_model(only: str | None, names: list[str]) -> None:
    if only is not None and only not in names:
        advice = hint_at(only, names) if names else "leave it out: the report is of one model without a label"
        raise _UnknownModelError(f'no model is called "{only}"', option="--model", advice=advice)


def _models(verdict: Mapping[str, Any], folder: Path) -> Iterator[tuple[str | None, Mapping[str, Any], Path]]:
    """Yield the name, the verdict and the folder of each model."""
    if "models" not in verdict:
        yield verdict["head"]["label"], verdict, folder
        return
    for model in verdict["models"]:
        yield model["name"], model, folder / model["name"]


def _node_figures(folder: Path) -> Own:
    """Return a function that gives the base and head figure of a node; it reads the tables of the report on demand."""

    @cache
    def column(table: str, name: str) -> pa.ChunkedArray | None:
        try:
            return pq.ParquetFile(folder / table).read(columns=[name])[name]
        except (OSError, LookupError, ValueError):  # pyarrow's errors are among them
            return None

    def own(metric: str, name: str, is_drift: bool) -> tuple[Decimal, Decimal] | None:  # noqa: FBT001 (as `Own` has it)
        table = _NODES if is_drift else _DIFF_NODES
        names = column(table, "name")
        if names is None:
            return None
        rows = pc.indices_nonzero(pc.equal(names.cast(pa.string()), name))
        if is_drift:
            head = _total([1] * len(rows) if _is_count(metric) else _taken(column(table, metric), rows))
            return None if head is None else (Decimal(0), head)
        statuses = _taken(column(table, "status"), rows)
        if statuses is None:
            return None
        sides = []
        for side, absent in (("base", RowStatus.NEW), ("head", RowStatus.REMOVED)):
            values = [1] * len(statuses) if _is_count(metric) else _taken(column(table, f"{side}_{metric}"), rows)
            of_side = zip(values, statuses, strict=True) if values is not None else None
            sides.append(_total([value for value, word in of_side if word != absent] if of_side else None))
        base, head = sides
        return None if base is None or head is None else (base, head)

    return own


def _is_count(metric: str) -> bool:
    return METRICS[metric].kind is Kind.COUNT


def _taken(column: pa.ChunkedArray | None, rows: pa.Array) -> list[Any] | None:
    return None if column is None else column.take(rows).to_pylist()


def _total(values: list[Any] | None) -> Decimal | None:
    """Return the sum of figures; None if one is unknown."""
    if values is None or any(value is None for value in values):
        return None
    return sum((Decimal(repr(value)) for value in values), Decimal(0))
