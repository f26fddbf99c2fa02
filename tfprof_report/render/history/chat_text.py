"""What moved lately as plain text for a chat: figures, the largest commits, budgets at risk and drift."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from tfprof_report.errors import one_line
from tfprof_report.formatting import (
    format_delta,
    format_number,
    format_percent,
    label_of,
    percent_of,
    plural,
    shorten,
    unit_of,
)
from tfprof_report.history.budgets import Standing
from tfprof_report.history.changes import Change
from tfprof_report.history.history_data import History, Line, ModelHistory
from tfprof_report.history.nets import Net, Stretch
from tfprof_report.record import record
from tfprof_report.render.history.history_content import report_url
from tfprof_report.render.history.history_words import (
    budget_words,
    commit_of,
    day_of,
    drift_words,
    figure_words,
    short,
    which_commits,
    why_words,
)
from tfprof_report.schema.metrics import Number

_FIGURES, _COMMITS, _BUDGETS, _DRIFTS, _NAMED = 10, 5, 4, 4, 8
"""Most lines of each section, and most figures that the last line names: the text has at most 40 lines."""
_LONGEST = 300
"""Most characters of a line, without its addresses."""
_BREAK = "\N{ZERO WIDTH SPACE}"
_LIVE = re.compile(
    r"[@#](?=\S)"  # mentions, channels
    r"|:(?=//|[\w+-]+:)|(?i:\bwww)(?=\.)|\.(?=[^\W\d_]{2})"  # addresses, with and without a scheme; emoji
    r"|\](?=\()"  # links of Markdown
)
_BRACKETS = str.maketrans("<>", "\u2039\u203a")
"""Slack takes ``<!here>`` and ``<@U1>`` for mentions, and ``<address|text>`` for a link."""


@record
class _Ranked:
    """A line of a section, and how much it matters."""

    size: Fraction
    text: str


def render_chat(history: History) -> str:
    """Return what moved over the stretch that was asked for, else in the last 7 days; at most 40 lines without markup.

    A name from the models is text: it mentions nobody and is no link. Addresses are those that the user gave.
    """
    models = history.models
    over = [(model, model.stretches[0]) for model in models if model.stretches]
    words = Counter(stretch.words for _, stretch in over).most_common(1)[0][0] if over else ""
    newest = max((day_of(model, model.rows.num_rows - 1) for model in models if model.rows.num_rows), default="")
    lines = [_inert(f"History of {plural(len(models), 'model')} in {history.store}, up to {newest}"), ""]
    moved = [_moved(model, stretch, net, words) for model, stretch in over for net in stretch.nets if net.delta]
    commits = [_commit(history, model, each) for model, stretch in over for each in _inside(model, stretch)]
    odd = [each for model in models for each in _not_compared(model)]
    lines += (
        _section(_inert(f"Moved {words}:"), moved, _FIGURES)
        if moved
        else [_inert(_nothing(words, models, is_known=not odd, cancels=bool(commits) and _cancels(over)))]
    )
    lines += ["", *_section("Largest commits:", commits, _COMMITS)] if commits else []
    at_risk = [_risk(model, line) for model in models for line in model.lines if _is_at_risk(line)]
    lines += ["", *_section("Budgets at risk:", at_risk, _BUDGETS)] if at_risk else []
    drifts = [each for model in models for each in _drifts(model)]
    drifts += [each for model, stretch in over for each in _creeping(model, stretch)]
    lines += ["", *_section("Drift:", drifts, _DRIFTS)] if drifts else []
    if odd:
        more = f" and {len(odd) - _NAMED:,} more" if len(odd) > _NAMED else ""
        lines += ["", _inert(f"Not compared: {', '.join(odd[:_NAMED])}{more}", most=2 * _LONGEST)]
    return "\n".join(lines) + "\n"


def _inert(text: str, *, most: int = _LONGEST) -> str:
    """Return one line of text that a chat tool shows as it is."""
    return _LIVE.sub(rf"\g<0>{_BREAK}", shorten(one_line(text), most).translate(_BRACKETS))


def _section(heading: str, lines: Sequence[_Ranked], most: int) -> list[str]:
    """Return a heading and its lines, the largest first."""
    ranked = sorted(lines, key=lambda line: -line.size)
    more = [f"and {len(lines) - most:,} more"] if len(lines) > most else []
    return [heading, *(line.text for line in ranked[:most]), *more]


def _cancels(over: Iterable[tuple[ModelHistory, Stretch]]) -> bool:
    """Return whether every figure that a commit moved is as it was before: known, and counted in the same way."""
    return all(
        step.stem in {net.stem for net in stretch.nets}
        for model, stretch in over
        for change in _inside(model, stretch)
        for step in change.steps
    )


def _nothing(words: str, models: Iterable[ModelHistory], *, is_known: bool, cancels: bool) -> str:
    if not words:
        return "Nothing can be compared: no model has two reports."
    what = "Nothing moved" if is_known else "Nothing that can be compared moved"
    what += " by a step" if any(line.drift for model in models for line in model.lines) else ""
    return f"{what} {words}{', in all: the commits below cancel each other out' if cancels else ''}."


_NEW = Fraction(10**30)
"""The size of a change from 0, which has no percentage, or of an unknown distance."""


def _size(base: Number, head: Number) -> Fraction:
    old, new = Fraction(base), Fraction(head)
    return abs((new - old) / old) if old else _NEW


def _moved(model: ModelHistory, stretch: Stretch, net: Net, usual: str) -> _Ranked:
    unit = unit_of(net.stem)
    percent = format_percent(percent_of(Fraction(net.base), Fraction(net.head)), "new from 0")
    since = "" if stretch.words == usual else f", {stretch.words}"
    text = f"{model.name}: {label_of(net.stem)} {format_delta(net.delta, unit)} ({percent}) to "
    return _Ranked(size=_size(net.base, net.head), text=_inert(f"{text}{format_number(net.head, unit)}{since}"))


def _inside(model: ModelHistory, stretch: Stretch) -> Iterator[Change]:
    return (change for change in reversed(model.changes) if change.before >= stretch.start)


def _commit(history: History, model: ModelHistory, change: Change) -> _Ranked:
    """Return a commit with its figures, its reason and its addresses."""
    commit = commit_of(model, change.row)
    steps = ", ".join(
        f"{label_of(step.stem)} {format_delta(step.delta, unit_of(step.stem))} "
        f"({format_percent(step.percent, 'new from 0')})"
        for step in change.steps
    )
    which = f" ({which})" if (which := which_commits(model, change)) else ""
    why = "" if change.why is None else f"; {why_words(change)}"
    lead = f"{short(commit)}, {day_of(model, change.row)}, {model.name}: {steps}"
    addresses = (history.links.of_commit(commit), report_url(history, model, change.row))
    given = (address for address in addresses if "://" in address)
    size = max(_size(step.base, step.head) for step in change.steps)
    return _Ranked(size=size, text=" ".join([_inert(f"{lead}{why}{which}"), *given]))


def _is_at_risk(line: Line) -> bool:
    return line.over_time.standing not in (None, Standing.WITHIN)


def _risk(model: ModelHistory, line: Line) -> _Ranked:
    table = line.over_time
    budget, distance = table.budget, table.distance
    left = -distance / abs(budget.most) if budget and distance is not None and budget.most else _NEW
    words = budget_words(line.stem, budget, distance)
    if distance is None:
        words = f"{figure_words(line.stem, table.now)}, budget {words.partition(',')[0]}"
    return _Ranked(size=left, text=_inert(f"{model.name}: {label_of(line.stem)} {words}"))


def _drifts(model: ModelHistory) -> Iterator[_Ranked]:
    for line in model.lines:
        if line.drift is not None:
            size = _size(line.drift.level, line.drift.level + line.drift.total)
            yield _Ranked(size=size, text=_inert(f"{model.name}: {drift_words(model, line)}"))


def _creeping(model: ModelHistory, stretch: Stretch) -> Iterator[_Ranked]:
    """Yield the figures that grew by steps of which none shows it."""
    for net in stretch.nets:
        if net.is_drift:
            words = f"{label_of(net.stem)} {format_delta(net.delta, unit_of(net.stem))} in {plural(net.count, 'step')}"
            text = f"{model.name}: {words} {stretch.words}, none of which is over a third of it"
            yield _Ranked(size=_size(net.base, net.head), text=_inert(text))


def _not_compared(model: ModelHistory) -> Iterator[str]:
    """Yield what nothing is said about, and why: an unknown figure has not stayed the same."""
    if not model.stretches:
        yield f"{model.name} ({plural(model.rows.num_rows, 'report')})"
        return
    if not model.lines:
        yield f"{model.name} (no figure is known)"
    compared = {net.stem for net in model.stretches[0].nets}
    for line in model.lines:
        if line.stem not in compared:
            is_known = line.over_time.now.value is not None
            why = "not known then, or counted in another way" if is_known else "not known"
            yield f"{model.name} {label_of(line.stem)} ({why})"
