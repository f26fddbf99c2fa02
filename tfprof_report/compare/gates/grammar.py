"""The grammar of gates: ``METRIC <= LIMIT`` (or ``>=``, ``==``), and bands, ``LOW <= METRIC <= HIGH``.

A signed limit is relative to base, an unsigned one is an absolute budget. A percentage may have a floor, as in
``bytes <= +5% or +64KiB``: what is within either holds. Limits are exact. A drift gate says which report it is relative
to in place of base: ``params <= +2% since v1.2``. `DEFAULT_GATES` apply where a rules file has no gates.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from tfprof_report.compare.gates.globs import check_glob
from tfprof_report.compare.gates.policy import (
    AGAINST,
    BEST,
    SINCE,
    Bound,
    Gate,
    Level,
    Limit,
    Reference,
    Scale,
    Subject,
)
from tfprof_report.errors import OptionError
from tfprof_report.formatting import unit_of
from tfprof_report.model.flops.evaluate import FLOP_STEMS
from tfprof_report.options import unknown_word
from tfprof_report.schema.metrics import DEVICE_PEAK, IDLE, METRICS, OF_NO_NODE, TRANSFER, WALL, Unit
from tfprof_report.urls import is_url, name_of

OPTION = "--gate"

UNITS = {stem: metric.unit for stem, metric in METRICS.items()} | {stem: unit_of(stem) for stem in OF_NO_NODE}
"""The metrics that a gate can name."""

_OWNERS = {
    DEVICE_PEAK: ("device", "peak_bytes"),
    WALL: ("step", "micros"),
    IDLE: ("step", "micros"),
    TRANSFER: ("step", "output_bytes"),
}
"""Metrics that nodes do not have, with what has them and the metric of nodes that comes closest."""

_DECIMAL = {"": 1, "k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_BYTES = {"B": 1, "KB": 10**3, "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12} | {
    "KiB": 2**10,
    "MiB": 2**20,
    "GiB": 2**30,
    "TiB": 2**40,
}
_SUFFIXES = {
    Unit.COUNT: _DECIMAL,
    Unit.BYTES: _DECIMAL | _BYTES,
    Unit.MICROS: _DECIMAL | {"us": 1, "ms": 10**3, "s": 10**6},
}

# The number of digits is bounded, so that a hostile gate cannot create a number that takes minutes to print.
_NUMBER = r"(?P<{0}sign>[+-]?) ?(?P<{0}number>[0-9]{{1,30}}(?:\.[0-9]{{1,30}})?) ?(?P<{0}suffix>[A-Za-z%]*?)"


def _limit_pattern(side: str) -> str:
    return rf"{_NUMBER.format(side)}(?: ?\bor\b ?{_NUMBER.format(f'{side}or_')})?"


_GATE = re.compile(
    rf"(?:{_limit_pattern('low_')} ?<= ?(?=\w+ ?<=))?(?P<metric>\w+) ?(?P<bound><=|>=|==) ?{_limit_pattern('')}"
)
"""Of a text in which every run of spaces is one."""
_AND = re.compile(r"[<>=]=.*\band\b")
_DRIFT = re.compile(rf"(?P<condition>.*?)\s+(?P<word>{SINCE}|{AGAINST})\s+(?P<text>\S.*)", re.DOTALL)

_DEFAULTS = {
    # A count must not fall either: a layer may have been lost.
    Unit.COUNT: ("== +0", Level.FAIL),
    # Memory varies from step to step (`on_memory`); less than a page of it is no change.
    Unit.BYTES: ("<= +0.5% or +4KiB", Level.FAIL),
    # Times differ from machine to machine, so they are reported but fail nothing.
    Unit.MICROS: ("<= +0%", Level.INFORM),
}
_OWN_DEFAULTS = {
    # Not for want of steps, since it follows from shapes.
    "output_bytes": ("<= +0.5%", Level.FAIL),
    # It changes with where nodes are placed, which is no property of the model.
    TRANSFER: ("<= +0.5%", Level.INFORM),
    # It differs between programs that run the same graph, not only between their steps.
    DEVICE_PEAK: ("<= +5% or +64KiB", Level.FAIL),
}


def parse_gate(
    text: str,
    *,
    option: str = OPTION,
    subject: Subject = Subject.MODEL,
    glob: str = "",
    level: Level = Level.FAIL,
    is_optional: bool = False,
    unknown_ok: Sequence[str] = (),
    source: str = OPTION,
    owner: str = "",
    since: str = "",
    against: str = "",
    folder: str = "",
) -> Gate:
    """Parse a gate such as ``float_ops <= +1%``, ``-1% <= bytes <= +64MiB`` or ``params <= 25M``; spaces do not matter.

    A percentage may have a floor, a signed number after ``or``: ``bytes <= +5% or +64KiB`` fails only if more than 5 %
    and more than 64 KiB were added.

    Numbers may have decimals and a suffix: k K M G T (powers of 1000) for every metric; B, KB MB GB TB (1000) and
    KiB MiB GiB TiB (1024) for bytes; us ms s for times. A number without suffix is in the unit of the metric.

    After it, ``since v1.2`` (a tag, a commit or an age), ``against best`` or ``against FOLDER`` (a report) make it a
    drift gate; `since` and `against` are another spelling of that.

    Parameters
    ----------
    text : the condition
    option : where it was written, for error messages
    subject, glob : the rows that it judges; every subject but the whole model needs a glob
    level, is_optional, unknown_ok, source, owner : as in `Gate`
    since, against : the report that it is relative to, where the text does not say it
    folder : the folder that paths of reports are relative to; the current one if empty

    Raises
    ------
    OptionError
        The text is not a gate, or has an unknown metric, a suffix that does not fit the metric, a percentage without
        sign (``105%`` could mean 105 % of base or 105 % more), an empty band, or a floor that is none; the glob is
        invalid; the metric is not available for rows; or the report that it is relative to does not fit the rest.
    """
    option = f'{option} "{text}"'
    text, reference = _split(text, option, since=since, against=against, folder=folder)
    found = _GATE.fullmatch(text)
    if found is None:
        raise OptionError(
            "this is not a gate",
            option=option,
            advice='a gate holds within either of two limits joined by or, such as "bytes <= +5% or +64KiB", which '
            "fails beyond both; write two conditions as two gates"
            if _AND.search(text)
            else "write METRIC <= LIMIT, METRIC >= LIMIT or METRIC == LIMIT, or LOW <= METRIC <= HIGH, "
            'such as "float_ops <= +1%" or "bytes <= +5% or +64KiB"',
        )
    metric = found["metric"]
    if metric not in UNITS:
        raise unknown_word(metric, option=option, known=UNITS)
    if subject is not Subject.MODEL:
        check_glob(glob, option=option)
        if metric in _OWNERS:
            owner, other = _OWNERS[metric]
            raise OptionError(
                f"{metric} belongs to a {owner}, not to a {subject}",
                option=option,
                advice=f"leave out the glob, or take {other}",
            )
    if unknown_ok and metric not in FLOP_STEMS:
        raise OptionError(
            f"unknown_ok is about op types without a FLOPs rule, and {metric} needs none",
            option=option,
            advice=f"leave it out, or gate one of {', '.join(FLOP_STEMS)}",
        )
    limits = [_limit(found, "", Bound(found["bound"]), option)]
    if found["low_number"]:
        limits.insert(0, _limit(found, "low_", Bound.AT_LEAST, option))
        _check_band(limits[0], limits[1], option)
    if reference:
        _check_reference(reference, limits, subject, unknown_ok, option)
    return Gate(
        text=f"{text} {reference.words}" if reference else text,
        metric=metric,
        limits=tuple(limits),
        subject=subject,
        glob=glob,
        level=level,
        is_optional=is_optional,
        unknown_ok=tuple(unknown_ok),
        source=source,
        owner=owner,
        reference=reference,
    )


def _split(text: str, option: str, *, since: str, against: str, folder: str) -> tuple[str, Reference | None]:
    """Return the condition of a gate, in which every run of spaces is one, and the report that it is relative to."""
    given = [(SINCE, since)] if since else []
    given += [(AGAINST, against)] if against else []
    found = _DRIFT.fullmatch(text.strip())
    if found:
        text = found["condition"]
        given.append((found["word"], found["text"]))
    text = " ".join(text.split())
    if not given:
        return text, None
    if len(given) > 1:
        advice = f"keep one of {' and '.join(f'{word} {what}' for word, what in given)}, or write two gates"
        raise OptionError("a gate is measured from one report", option=option, advice=advice)
    word, what = given[0][0], given[0][1].strip()
    if word == AGAINST:
        is_best = what == BEST
        place = what if is_url(what) else os.path.join(folder, what)  # noqa: PTH118 (keeps the text as it is)
        return text, Reference(word=word, text=name_of(what), folder="" if is_best else place)
    if len(what.split()) != 1:
        raise OptionError(
            f'"{what}" is no tag, no commit and no age', option=option, advice=f"write {SINCE} v1.2 or {SINCE} 30d"
        )
    return text, Reference(word=word, text=what)


def _check_reference(
    reference: Reference, limits: Sequence[Limit], subject: Subject, unknown_ok: Sequence[str], option: str
) -> None:
    """Refuse a report to measure from where the limit is a budget, and a best one where that is no single report."""
    if limits[0].is_budget:
        text = "a limit without a sign is a budget, which is measured from no report"
        advice = f"give it a sign, such as +2%, or leave out {reference.words}"
    elif not reference.is_best:
        return
    elif len(limits) > 1 or limits[0].bound is Bound.EXACTLY:
        text, advice = "the best figure is the lowest for <= and the highest for >=", "write one of them, or two gates"
    elif subject is not Subject.MODEL or unknown_ok:
        text = "the best figure is that of the whole model, wholly known"
        advice = f"leave out {'unknown_ok' if unknown_ok else f'the key {subject}'}, or give {SINCE}"
    else:
        return
    raise OptionError(text, option=option, advice=advice)


def _limit(found: re.Match[str], side: str, bound: Bound, option: str) -> Limit:
    """Return the limit on one side of the metric, with its floor."""
    limit = _plain_limit(found, side, bound, option)
    if not found[f"{side}or_number"]:
        return limit
    other = _plain_limit(found, f"{side}or_", bound, option)
    _check_floor(limit, other, option)
    percent, floor = (limit, other) if limit.scale is Scale.PERCENT else (other, limit)
    return replace(percent, floor=floor.value)


def _plain_limit(found: re.Match[str], place: str, bound: Bound, option: str) -> Limit:
    """Return one of the numbers of a gate as a limit."""
    metric = found["metric"]
    sign, number, suffix = (found[f"{place}{group}"] for group in ("sign", "number", "suffix"))
    value = Fraction(sign + number)
    if suffix == "%":
        if not sign:
            raise OptionError(
                "a percentage needs a sign, because it is relative to base",
                option=option,
                advice=f"write +{number}% for at most {number} % more than base, or a budget without %",
            )
        return Limit(bound=bound, scale=Scale.PERCENT, value=value)
    suffixes = _SUFFIXES[UNITS[metric]]
    if suffix not in suffixes:
        raise OptionError(
            f'the suffix "{suffix}" does not fit {metric}, which is {_unit_words(UNITS[metric])}',
            option=option,
            advice=f"use a plain number, %, or one of {', '.join(word for word in suffixes if word)}",
        )
    return Limit(bound=bound, scale=Scale.DIFFERENCE if sign else Scale.BUDGET, value=value * suffixes[suffix])


def _check_floor(limit: Limit, other: Limit, option: str) -> None:
    """Refuse two limits on one side of the metric that are not a percentage with a floor."""
    if limit.bound is Bound.EXACTLY:
        text, advice = "== allows one figure, so it has no floor", 'write a band, such as "-64KiB <= bytes <= +64KiB"'
    elif limit.is_budget or other.is_budget:
        text, advice = "a floor and its limit are relative to base", "give both a sign, or write two gates"
    elif limit.scale is other.scale:
        text, advice = "a floor is a number beside a percentage", "keep the one of the two that allows more"
    elif limit.value * other.value < 0:
        text, advice = "a limit and its floor are in the same direction", "give both the same sign"
    else:
        return
    raise OptionError(text, option=option, advice=advice)


def _check_band(low: Limit, high: Limit, option: str) -> None:
    """Refuse a band of a relative limit and a budget, and one that is empty for every base."""
    if low.is_budget != high.is_budget:
        raise OptionError(
            "one limit is relative to base and the other is not",
            option=option,
            advice="give both a sign or neither, or write two gates",
        )
    has_floor = low.floor is not None or high.floor is not None
    if low.scale == high.scale and low.value > high.value and not has_floor:
        raise OptionError("no figure is in this band", option=option, advice="write the lower limit first")


def _unit_words(unit: Unit) -> str:
    return {Unit.COUNT: "a count", Unit.BYTES: "in bytes", Unit.MICROS: "in microseconds"}[unit]


def _gate(metric: str, unit: Unit) -> Gate:
    condition, level = _OWN_DEFAULTS.get(metric, _DEFAULTS[unit])
    return parse_gate(f"{metric} {condition}", level=level, is_optional=True, source="default")


_PARTS = ("trainable_params", "param_bytes")
"""Metrics that follow `params`, and are unknown for weights without a kind or a type."""

DEFAULT_GATES = tuple(_gate(metric, unit) for metric, unit in UNITS.items() if metric not in _PARTS)
"""One gate per metric on the whole model: counts exact, bytes within 0.5 %, memory in use within 5 %, times inform;
skipped if the metric is unknown on both sides.
"""
