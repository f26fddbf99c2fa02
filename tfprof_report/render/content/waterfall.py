"""How the causes of a change lead from base's total of a figure to head's, step by step. Plain data for templates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import pyarrow.compute as pc

from tfprof_report.compare.causes.cause_kinds import CauseKind
from tfprof_report.compare.causes.layer_causes import LayerCause
from tfprof_report.compare.causes.sentence import Names
from tfprof_report.compare.comparison import TotalDelta
from tfprof_report.compare.delta import moved_by
from tfprof_report.formatting import label_of, plural, shorten, unit_of
from tfprof_report.record import record
from tfprof_report.render.tables.cells import Cell, delta_cell, name_cell, total_cell
from tfprof_report.render.tables.layers_tables import IN_NO_LAYER, NOTHING
from tfprof_report.report.report import Report
from tfprof_report.schema.metrics import Number

_FIGURES = ("float_ops", "params")
"""The figures of the first screen, in order; the first that a gate fails on comes first."""

_OF_BASE = (CauseKind.REMOVED, CauseKind.SHALLOWER)

_STEPS = 6
"""Most causes shown; the others are one step."""

_MEMBERS = 10
"""Most layers that a step opens to."""

_LONGEST_NAME = 60
"""Most characters of a name in a line."""

_LEAST = 0.01
"""Share of all that moved below which a cause is one of the others."""


@record
class Step:
    """A bar of a waterfall, from `start` to `end` as shares of the widest total.

    name : the layers; None for totals and for what is in no layer
    what : what happened to them
    tone : ``total``, ``more`` or ``less``
    members : the layers, the largest change first, if there are several
    code_line : where the model's code makes the first of the layers; `side` says so if that is base's code
    """

    name: Cell | None
    what: str
    amount: Cell
    start: float
    end: float
    tone: str
    code_line: Cell | None = None
    side: str = ""
    members: tuple[Member, ...] = ()


@record
class Member:
    """What a step opens to: a layer, or a small cause. `name` is None for the number of those that are left out."""

    name: Cell | None
    what: str
    amount: Cell


@record
class Waterfall:
    """The steps from base's total to head's. `note` says what is not known of them."""

    stem: str
    title: str
    steps: tuple[Step, ...]
    note: str = ""


def waterfalls(report: Report) -> tuple[Waterfall, ...]:
    """Return the waterfalls of the first screen, of figures that changed; none without a comparison or layers."""
    comparison = report.comparison
    if comparison is None or not report.causes:
        return ()
    names = Names(comparison)
    failed = [gate.metric for gate in report.verdict.gates if gate.status == "failed"]
    stems = sorted(_FIGURES, key=lambda stem: failed.index(stem) if stem in failed else len(failed))
    totals = [total for stem in stems if (total := comparison.total_of(stem)) is not None]
    return tuple(made for total in totals if (made := _waterfall(report, names, total)) is not None)


def _waterfall(report: Report, names: Names, total: TotalDelta) -> Waterfall | None:
    stem = total.stem
    moved = sum(abs(cause.parts.get(stem, 0)) for cause in report.causes)
    missing = sum(cause.open.get(stem, 0) for cause in report.causes)
    if (not moved and not missing) or total.base is None or total.head is None:
        return None
    large = [cause for cause in report.causes if abs(cause.parts.get(stem, 0)) > _LEAST * moved]
    largest = sorted(large, key=lambda cause: -abs(cause.parts[stem]))[:_STEPS]
    shown = [cause for cause in report.causes if cause in largest]
    word = label_of(stem) if stem == "float_ops" else label_of(stem).lower()
    if total.delta is None:
        title = f"Where the change of {word} comes from"
    else:
        title = f"Where {delta_cell(total.head - total.base, unit_of(stem)).text} {word} come from"
    note = f"The change of {plural(missing, 'layer')} is not known, so that the steps do not add up." if missing else ""
    return Waterfall(
        stem=stem,
        title=title,
        steps=tuple(_steps(report, names, total, shown)),
        note=note,
    )


def _steps(report: Report, names: Names, total: TotalDelta, shown: list[LayerCause]) -> Iterator[Step]:
    stem = total.stem
    unit, base, head = unit_of(stem), total.base or 0, total.head or 0
    others = [cause for cause in report.causes if cause not in shown and cause.parts.get(stem)]
    parts = [cause.parts[stem] for cause in shown]
    rest = sum(cause.parts[stem] for cause in others)
    levels = [base]
    for part in (*parts, rest):
        levels.append(levels[-1] + part)
    scale = max(*levels, head, 1)
    moved = _moved(report, stem)

    def total_step(word: str, value: Number, unknown: int) -> Step:
        amount = total_cell(value, unit, unknown)
        return Step(name=None, what=word, amount=amount, start=0, end=value / scale, tone="total")

    def of_cause(cause: LayerCause, before: Number, after: Number) -> Step:
        layers, what = names.label(cause)
        return Step(
            name=name_cell(layers) if layers else None,
            what=what,
            amount=delta_cell(cause.parts[stem], unit),
            start=min(before, after) / scale,
            end=max(before, after) / scale,
            tone="more" if after > before else "less",
            code_line=name_cell(cause.code_line) if cause.code_line else None,
            side="in base" if cause.kind in _OF_BASE else "",
            members=_cut(layers_of(cause), "layers"),
        )

    def layers_of(cause: LayerCause) -> list[Member]:
        found = sorted(cause.layers, key=lambda name: -abs(float(moved.get(name, NOTHING).key or 0)))
        return [
            Member(
                name=name_cell(name) if name else None,
                what="" if name else IN_NO_LAYER,
                amount=moved.get(name, NOTHING),
            )
            for name in found
        ]

    def small(cause: LayerCause) -> Member:
        layers, what = names.label(cause)
        return Member(name=name_cell(layers) if layers else None, what=what, amount=delta_cell(cause.parts[stem], unit))

    yield total_step("Base", base, total.base_unknown)
    for cause, before, after in zip(shown, levels, levels[1:], strict=False):
        yield of_cause(cause, before, after)
    if len(others) == 1:
        yield of_cause(others[0], *levels[-2:])
    elif others:
        before, after = levels[-2:]
        yield Step(
            name=None,
            what=plural(len(others), "smaller change"),
            amount=delta_cell(rest, unit),
            start=min(before, after) / scale,
            end=max(before, after) / scale,
            tone="more" if after > before else "less",
            members=_cut(
                [small(cause) for cause in sorted(others, key=lambda cause: -abs(cause.parts[stem]))], "changes"
            ),
        )
    yield total_step("Head", head, total.head_unknown)


def _moved(report: Report, stem: str) -> dict[str | None, Cell]:
    """Return the change of each layer by the name that causes have; nothing where one of both sides has another's."""
    if report.comparison is None:
        return {}
    layers = report.comparison.layers
    names = pc.coalesce(layers["layer"], layers["base_layer"]).to_pylist()
    counts = Counter(names)
    moved = zip(names, moved_by(layers, stem).to_pylist(), strict=True)
    return {name: delta_cell(part, unit_of(stem)) for name, part in moved if counts[name] == 1}


def _cut(members: Sequence[Member], noun: str) -> tuple[Member, ...]:
    """Return at most `_MEMBERS` members, and how many more there are; nothing for a single one."""
    if len(members) == 1:
        return ()
    more = len(members) - _MEMBERS
    rest = (Member(name=None, what=f"{more:,} more {noun}", amount=NOTHING),) if more > 0 else ()
    return (*members[:_MEMBERS], *rest)


def waterfall_lines(waterfall: Waterfall) -> tuple[str, ...]:
    """Return a waterfall as lines, each an amount and what it is, for files without pictures."""
    amounts = [step.amount.text for step in waterfall.steps]
    width = max(map(len, amounts))
    return tuple(f"{amount:>{width}}  {_words(step)}" for amount, step in zip(amounts, waterfall.steps, strict=True))


def _words(step: Step) -> str:
    name = f"{shorten(step.name.text, _LONGEST_NAME)} " if step.name else ""
    return f"{name}{step.what}"
