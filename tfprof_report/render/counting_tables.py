"""The tables that tell FLOPs apart: by class of ops, and the op types that are not counted."""

from __future__ import annotations

from collections.abc import Sequence

from tfprof_report.model.schema import Unit
from tfprof_report.render.cells import Column, Table, name_cell, number_cell, text_cell
from tfprof_report.render.tables import share_of
from tfprof_report.report.counting import ClassTotal, NotCounted
from tfprof_report.units import label_of


def classes_table(head: Sequence[ClassTotal], base: Sequence[ClassTotal]) -> Table:
    """Return what each class of ops takes; with `base`, which is empty without a comparison, on both sides."""
    sides = {"Base": base, "Head": head} if base else {"": head}
    found = {total.op_class: total for side in sides.values() for total in side}
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
    """Return the op types whose nodes may take FLOPs and are not counted, and why."""
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
