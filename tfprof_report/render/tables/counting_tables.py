"""Breakdowns as tables: FLOPs by class of ops, op types not counted, parameters by kind, and what was left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from tfprof_report.formatting import label_of, plural, share_of, unit_of
from tfprof_report.model.params.kinds import RULES, ParamKind
from tfprof_report.model.totals import LeftOut
from tfprof_report.render.tables.cells import ABSENT, Cell, Column, Table, name_cell, number_cell, text_cell, total_cell
from tfprof_report.render.tables.changes_tables import change_key
from tfprof_report.report.breakdowns import ALL, ClassTotal, NotCounted, ParamTotal
from tfprof_report.schema.metrics import Unit


def classes_table(head: Sequence[ClassTotal], base: Sequence[ClassTotal]) -> Table:
    """Return FLOPs and MACs of each class of ops; if there is a base, of both sides, the largest change first."""
    sides = {"Base": base, "Head": head} if base else {"": head}
    found = list(dict.fromkeys(total.op_class for side in sides.values() for total in side))
    if base:
        found.sort(key=lambda op_class: change_key(*(_class_of(side, op_class).float_ops for side in (base, head))))
    stems = ("float_ops", "macs")
    return Table(
        caption="FLOPs by class of ops",
        columns=(
            Column("Class"),
            *(
                Column(side or label_of(stem), label_of(stem) if side else "", is_number=True)
                for stem in stems
                for side in sides
            ),
            *(Column(f"Nodes counted in {side.lower()}" if side else "Nodes counted") for side in sides),
        ),
        rows=tuple(
            (
                text_cell(op_class),
                *(
                    number_cell(getattr(_class_of(side, op_class), stem), Unit.COUNT)
                    for stem in stems
                    for side in sides.values()
                ),
                *(
                    text_cell(share_of(total.known, total.nodes))
                    for side in sides.values()
                    for total in (_class_of(side, op_class),)
                ),
            )
            for op_class in found
        ),
    )


def _class_of(side: Sequence[ClassTotal], op_class: str) -> ClassTotal:
    none = ClassTotal(op_class=op_class, nodes=0, known=0, float_ops=0, macs=0)
    return next((total for total in side if total.op_class == op_class), none)


def not_counted_table(found: Sequence[NotCounted], limit: int, examples: int) -> Table:
    """Return the op types whose nodes may have FLOPs but are not counted, and why."""
    return Table(
        caption="Op types that are not counted",
        columns=(Column("Op type"), Column("Nodes", is_number=True), Column("Why"), Column("Examples")),
        rows=tuple(
            (
                name_cell(group.op),
                number_cell(group.nodes, Unit.COUNT),
                text_cell(group.reason),
                name_cell(", ".join(group.examples[:examples])),
            )
            for group in found[:limit]
        ),
        total=len(found),
        noun="op types and reasons",
    )


_FIGURES = {
    "params": ("Parameters", Unit.COUNT),
    "param_bytes": ("Size", Unit.BYTES),
    "nodes": ("Nodes", Unit.COUNT),
    "guesses": ("Guesses", Unit.COUNT),
}


_KINDS = (*(kind for kind in RULES if kind != ParamKind.UNUSED), ALL, ParamKind.UNUSED)
"""The kinds in the order of a table of one side: unused parameters, which no total has, come after the total."""


def params_table(head: Sequence[ParamTotal], base: Sequence[ParamTotal] | None) -> Table:
    """Return the parameters of each kind; notes define the kinds.

    If there is a base, of both sides, the largest change first, the total and what no total has last.
    """
    sides = {"": head} if base is None else {"Base": base, "Head": head}
    totals = {word: {total.kind: total for total in side} for word, side in sides.items()}
    kinds = [kind for kind in _KINDS if any(kind in side for side in totals.values())]
    if base is not None:
        last = (ALL, ParamKind.UNUSED)
        kinds.sort(key=lambda kind: (kind in last, 0 if kind in last else _params_key(kind, totals)))
    words = {kind: kind.replace("_", " ") for kind in kinds}
    if ParamKind.UNUSED in kinds:
        words[ALL] = "all but unused"
    columns = tuple(
        Column(word or label, label if word else "", is_number=True) for label, _ in _FIGURES.values() for word in sides
    )
    return Table(
        caption="Parameters by kind",
        columns=(Column("Kind"), *columns),
        rows=tuple((text_cell(words[kind]), *_param_figures(kind, totals.values())) for kind in kinds),
        notes=(*_unknown(totals), *(_rule(kind) for kind in kinds if kind in RULES)),
    )


def _params_key(kind: str, totals: Mapping[str, Mapping[str, ParamTotal]]) -> int:
    """Return the key of a kind by `change_key`; a side without the kind has none of it."""
    return change_key(*(side[kind].params if kind in side else 0 for side in totals.values()))


def _rule(kind: str) -> str:
    """Return the definition of a kind as a sentence, which is too long for a cell."""
    return f"{kind.replace('_', ' ').capitalize()}: {RULES[ParamKind(kind)]}."


def _param_figures(kind: str, sides: Iterable[Mapping[str, ParamTotal]]) -> Iterator[Cell]:
    """Yield the cells of a row: each figure, of each side."""
    found = [side.get(kind) for side in sides]
    for stem, (_, unit) in _FIGURES.items():
        yield from (ABSENT if total is None else number_cell(getattr(total, stem), unit) for total in found)


def _unknown(totals: Mapping[str, Mapping[str, ParamTotal]]) -> Iterator[str]:
    for word, side in totals.items():
        unknown = side[ALL].nodes - side[ALL].known if side else 0
        if unknown:
            where = f" in {word.lower()}" if word else ""
            yield f"The sums leave out {plural(unknown, 'node')}{where} with an unknown number of parameters."


_STEMS = ("definition_count", "params", "float_ops", "bytes", "micros")


def left_out_table(parts: Iterable[tuple[str, LeftOut]]) -> Table:
    """Return a row per part that was left out, with its figures; `parts` are pairs of side (``head``) and part."""
    return Table(
        caption="Left out (--signature, --outputs, --leave-out)",
        columns=(Column("What"), Column("Side"), *(Column(label_of(stem), is_number=True) for stem in _STEMS)),
        rows=tuple((text_cell(part.part), text_cell(side), *_left_out_figures(part)) for side, part in parts),
        notes=("A node that fits several rows is in the first of them.",),
    )


def _left_out_figures(part: LeftOut) -> tuple[Cell, ...]:
    totals = {total.stem: total for total in part.totals}
    is_empty = not totals["definition_count"].value
    return tuple(
        ABSENT
        if is_empty and stem != "definition_count"
        else total_cell(totals[stem].value, unit_of(stem), totals[stem].unknown)
        for stem in _STEMS
    )
