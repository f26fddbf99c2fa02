"""Which reports of a store the coming report can use as its baseline, by what their summaries say."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from tfprof_report.clock import age_words, time_of
from tfprof_report.compare.gates.verdict import Outcome
from tfprof_report.errors import OptionError
from tfprof_report.formatting import plural
from tfprof_report.model.flops.node_flops import wording
from tfprof_report.model.measurement import Measurement
from tfprof_report.schema.compatible import version_problem
from tfprof_report.schema.metrics import COUNTING_VERSION

_USER_RULES = re.compile(r" \+ user rules \(sha256 \w+\)")
"""Part of the name of rules that only the user knows."""


class Unusable(StrEnum):
    """Why a report is passed over."""

    UNFINISHED = "not finished"
    DAMAGED = "damaged"
    SCHEMA = "of another schema version"
    COUNTED = "counted otherwise"
    OLD = "too old"
    FAILED = "with failed gates"


@dataclass(frozen=True, slots=True, kw_only=True)
class PassedOver:
    """A report that is passed over: where it is, the kind of reason, and the reason of this one."""

    path: str
    kind: Unusable
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
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
        content = json.loads(summary)
        if problem := version_problem(content["schema_version"]):
            return Unusable.SCHEMA, problem
        if others := _differences(content, wanted.measurement):
            return Unusable.COUNTED, " and ".join(others)
        if wanted.most_age is not None and (problem := _age_problem(content, wanted.most_age, wanted.now)):
            return Unusable.OLD, problem
        if wanted.last_good and content["verdict"]["outcome"] == Outcome.FAILED:
            return Unusable.FAILED, str(content["verdict"]["text"])
    except (ArithmeticError, AttributeError, LookupError, OptionError, RecursionError, TypeError, ValueError):
        return Unusable.DAMAGED, "its summary holds something else than any version writes"
    return None


def has_failed(summary: bytes) -> bool:
    """Return whether a gate of the report with this summary failed."""
    try:
        return bool(json.loads(summary)["verdict"]["outcome"] == Outcome.FAILED)
    except (LookupError, RecursionError, TypeError, ValueError):
        return False


def _differences(content: Mapping[str, Any], wanted: Measurement | None) -> list[str]:
    """Return in what the way to count differs from the wanted one, as far as that is known."""
    version = int(content.get("counting_version", 1))
    found = [] if version == COUNTING_VERSION else [f"counting version {version}, not {COUNTING_VERSION}"]
    measurement, rules = Measurement.of(content["options"], content["semantics"]), str(content.get("rules", "none"))
    if wanted is None:  # of the same options, but counted by the rules of today
        wanted, rules = measurement, _USER_RULES.sub("", rules)
    found += [f"another {option}" for option in measurement.differences(wanted)]
    if measurement.batch.word != wanted.batch.word:
        found.append("another --batch")
    wanted_rules = wording(wanted.counting.use(wanted.semantics))
    if rules != wanted_rules:
        found.append(f"the rules {rules}, not {wanted_rules}")
    return found


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
        f"{plural(count, 'report')} passed over, {example.kind}, such as {example.path}: {example.why}"
        for count, example in by_kind(passed)
    ]
