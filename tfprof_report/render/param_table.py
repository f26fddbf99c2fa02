"""The table of parameters by what they are for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from tfprof_report.model.param_kinds import RULES, ParamKind
from tfprof_report.model.schema import Unit
from tfprof_report.render.cells import ABSENT, Cell, Column, Table, count_of, number_cell, text_cell
from tfprof_report.report.param_totals import ALL, ParamTotal

_FIGURES = {
    "params": ("Parameters", Unit.COUNT),
    "param_bytes": ("Size", Unit.BYTES),
    "nodes": ("Nodes", Unit.COUNT),
    "guesses": ("Guesses", Unit.COUNT),
}


def params_table(head: Sequence[ParamTotal], base: Sequence[ParamTotal] | None) -> Table:
    """Return the parameters of each kind, and how it is told; of both sides where there is a base."""
    sides = {"": head} if base is None else {"Base": base, "Head": head}
    totals = {word: {total.kind: total for total in side} for word, side in sides.items()}
    kinds = [kind for kind in (*RULES, ALL) if any(kind in side for side in totals.values())]
    columns = tuple(
        Column(word or label, label if word else "", is_number=True) for label, _ in _FIGURES.values() for word in sides
    )
    return Table(
        caption="Parameters by kind",
        columns=(Column("Kind"), *columns),
        rows=tuple((text_cell(kind.replace("_", " ")), *_figures(kind, totals.values())) for kind in kinds),
        notes=(*_unknown(totals), *(_rule(kind) for kind in kinds if kind in RULES)),
    )


def _rule(kind: str) -> str:
    """Return how a kind is told, as a sentence: too long for a cell."""
    return f"{kind.replace('_', ' ').capitalize()}: {RULES[ParamKind(kind)]}."


def _figures(kind: str, sides: Iterable[Mapping[str, ParamTotal]]) -> Iterator[Cell]:
    """Return the cells of a row: each figure, of each side."""
    found = [side.get(kind) for side in sides]
    for stem, (_, unit) in _FIGURES.items():
        yield from (ABSENT if total is None else number_cell(getattr(total, stem), unit) for total in found)


def _unknown(totals: Mapping[str, Mapping[str, ParamTotal]]) -> Iterator[str]:
    for word, side in totals.items():
        unknown = side[ALL].nodes - side[ALL].known if side else 0
        if unknown:
            where = f" in {word.lower()}" if word else ""
            yield f"The sums leave out {count_of(unknown, 'node')}{where} with an unknown number of parameters."
