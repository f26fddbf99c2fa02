"""Which reports of a store the coming report can use as its baseline, by what their summaries say."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from tfprof_report.clock import age_words, time_of
from tfprof_report.compare.gates.verdict import Outcome
from tfprof_report.errors import OptionError
from tfprof_report.formatting import plural
from tfprof_report.model.flops.node_flops import wording
from tfprof_report.model.measurement import Measurement
from tfprof_report.record import record
from tfprof_report.schema.compatible import version_problem
from tfprof_report.schema.metrics import COUNTING_VERSION

_USER_RULES = re.compile(r" \+ user rules \(sha256 \w+\)")
"""Part of the name of rules that only the user knows."""


class Unusable(StrEnum):
    """Why a report is passed over."""

    UNFINISHED = "not finished"
    DAMAGED = "damaged"
    SCHEMA = "of another schema version"
    VERSION = "counted by another version"
    COUNTED = "counted otherwise"
    OLD = "too old"
    FAILED = "with failed gates"
    ROW_FILE = "damaged or foreign"
    FOREIGN = "foreign"
    LINK = "a symbolic link"


@record
class PassedOver:
    """What is passed over, a report or a file of the index: where it is, the kind of reason, and its own reason."""

    path: str
    kind: Unusable
    why: str


@record
class Wanted:
    """What a baseline has to be.

    measurement : how the coming report is counted; None if nobody said so
    most_age : its maximum age, by the time of the report; None for any
    last_good : whether its gates must not have failed
    """

    now: datetime
    measurement: Measurement | None = None
    most_age: timedelta | None = None
    last_good: bool = False


def why_unusable(summary: bytes, wanted: Wanted) -> tuple[Unusable, str] | None:
    """Return why the report with this summary is not the wanted baseline; None if it is.

    A report can only be compared with one that is counted by the same options and rules, and whose figures mean the
    same (`COUNTING_VERSION`).
    """
    try:
        return next(((kind, why) for kind, why in _problems(json.loads(summary), wanted) if why), None)
    except (ArithmeticError, AttributeError, LookupError, OptionError, RecursionError, TypeError, ValueError):
        return Unusable.DAMAGED, "its summary holds something else than any version writes"


def _problems(content: Mapping[str, Any], wanted: Wanted) -> Iterator[tuple[Unusable, str | None]]:
    """Yield what may be wrong with a report, one after the other; None or nothing where it is not."""
    yield Unusable.SCHEMA, version_problem(content["schema_version"])
    own = Measurement.of(content["options"], content["semantics"])
    yield Unusable.VERSION, " and ".join(_version_differences(content, own))
    if wanted.measurement:
        yield Unusable.COUNTED, " and ".join(_differences(content, own, wanted.measurement))
    if wanted.most_age is not None:
        yield Unusable.OLD, _age_problem(content, wanted.most_age, wanted.now)
    if wanted.last_good and content["verdict"]["outcome"] == Outcome.FAILED:
        yield Unusable.FAILED, str(content["verdict"]["text"])


def has_failed(summary: bytes) -> bool:
    """Return whether a gate of the report with this summary failed."""
    try:
        return bool(json.loads(summary)["verdict"]["outcome"] == Outcome.FAILED)
    except (LookupError, RecursionError, TypeError, ValueError):
        return False


def _version_differences(content: Mapping[str, Any], own: Measurement) -> list[str]:
    """Return in what this version counts otherwise than the report, by the report's own options."""
    version = int(content.get("counting_version", 1))
    found = [] if version == COUNTING_VERSION else [f"counting version {version}, not {COUNTING_VERSION}"]
    rules, of_today = _USER_RULES.sub("", _rules(content)), wording(own.counting.use(own.semantics))
    return found if rules == of_today else [*found, f"the rules {rules}, not {of_today}"]


def _differences(content: Mapping[str, Any], own: Measurement, wanted: Measurement) -> list[str]:
    """Return in what the way to count differs from the wanted one; of the signature only where one is wanted."""
    found = [f"another {option}" for option in own.differences(wanted)]
    if own.batch.word != wanted.batch.word:
        found.append("another --batch")
    if wanted.signature not in (None, own.signature):
        found.append(f"--signature {own.signature or 'none'}, not {wanted.signature}")
    rules, wanted_rules = _rules(content), wording(wanted.counting.use(wanted.semantics))
    if rules != wanted_rules:
        found.append(f"the rules {rules}, not {wanted_rules}")
    return found


def _rules(content: Mapping[str, Any]) -> str:
    return str(content.get("rules", "none"))


def _age_problem(content: Mapping[str, Any], most: timedelta, now: datetime) -> str | None:
    time = content["side"]["timestamp"]
    made = time_of(time)
    if made is None:
        return f'its time, "{time}", is not a date'
    return f"{age_words(now - made)} old, {age_words(most)} are allowed" if now - made > most else None


def by_kind(passed: Sequence[PassedOver]) -> list[tuple[int, PassedOver]]:
    """Return the number of reports passed over for each kind of reason, and the first one of each."""
    found = ([each for each in passed if each.kind is kind] for kind in Unusable)
    return [(len(those), those[0]) for those in found if those]


def passed_words(passed: Sequence[PassedOver]) -> list[str]:
    """Return a sentence for each kind of reason: how many reports are passed over, why, and an example."""
    return [
        f"{_counted(count, example)} passed over, {example.kind}, such as {example.path}: {example.why}"
        for count, example in by_kind(passed)
    ]


def _counted(count: int, example: PassedOver) -> str:
    if example.kind is Unusable.ROW_FILE:
        return f"{plural(count, 'file')} of the index"
    return plural(count, "folder" if example.kind is Unusable.FOREIGN else "report")
