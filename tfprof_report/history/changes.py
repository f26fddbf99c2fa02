"""Changes of a model: the steps of its figures at one commit, and why, from comparing the reports on both sides."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import pyarrow as pa

from tfprof_report.compare.causes.layer_causes import find_causes
from tfprof_report.compare.causes.sentence import say_why
from tfprof_report.compare.compare import compare
from tfprof_report.compare.side import Side
from tfprof_report.errors import TfprofReportError
from tfprof_report.formatting import COMMIT_DIGITS
from tfprof_report.history.in_order import COMMIT_NUMBER
from tfprof_report.history.steps import Step
from tfprof_report.record import record
from tfprof_report.report.store.place import Place
from tfprof_report.report.store.store import DamagedError, entry_at, read_side
from tfprof_report.schema.metrics import Number

_LAYERS = 3
"""Most layers that a change names."""


@record
class LayerMove:
    """A layer that moved a figure, and by how much."""

    name: str
    stem: str
    delta: Number


@record
class Why:
    """What comparing the reports on both sides of a change says.

    sentence : why the model changed; empty if the graphs do not show it
    layers : the layers that moved most of the first figure that moved
    is_same_graph : whether both reports are of the same graph files, so that only the run can differ
    problem : why the reports were not compared; None if they were
    """

    sentence: str = ""
    layers: tuple[LayerMove, ...] = ()
    is_same_graph: bool = False
    problem: str | None = None


@record
class Change:
    """All steps between the same two reports: one of the commits after `before`, up to that of `row`, made them.

    commits : the number of commits that may have made it; more than one where some have no report
    why : what comparing both reports says; None where that was not asked for
    """

    before: int
    row: int
    commits: int
    steps: tuple[Step, ...]
    why: Why | None = None


def find_changes(rows: pa.Table, steps: Iterable[Step]) -> tuple[Change, ...]:
    """Return the changes of a model, the oldest first, each with its steps in the given order of figures."""
    found: dict[tuple[int, int], list[Step]] = {}
    for step in steps:
        found.setdefault((step.row, step.before), []).append(step)
    number = rows[COMMIT_NUMBER].to_pylist()
    return tuple(
        Change(before=before, row=row, commits=number[row] - number[before], steps=tuple(those))
        for (row, before), those in sorted(found.items())
    )


def explain(
    changes: Sequence[Change], rows: pa.Table, place: Place, held: frozenset[str], most: int
) -> tuple[Change, ...]:
    """Return changes with the reason of the newest `most`: comparing two reports takes longer than all the rest.

    held : the paths of reports that are still in the store
    """
    compared = changes[len(changes) - most :] if most else ()
    paths = rows["report"]
    return (
        *changes[: len(changes) - len(compared)],
        *(
            replace(change, why=_why(place, paths[change.before].as_py(), paths[change.row].as_py(), held, change))
            for change in compared
        ),
    )


def _why(place: Place, base: str, head: str, held: frozenset[str], change: Change) -> Why:
    gone = [path for path in (base, head) if path not in held]
    if gone:
        commits = " and ".join(entry_at(path).commit[:COMMIT_DIGITS] for path in gone)
        which = f"the report of {commits} was" if len(gone) == 1 else f"the reports of {commits} were"
        return Why(problem=f"{which} pruned: totals only")
    stems = [step.stem for step in change.steps]
    try:
        old, new = read_side(place, base, views=()), read_side(place, head, views=())
        comparison = compare(old, new)
        causes = find_causes(comparison)
        sentence = say_why(comparison, causes, [*stems, "float_ops", "params"])
    except (TfprofReportError, DamagedError, OSError, pa.ArrowException) as problem:
        return Why(problem=f"the reports cannot be compared ({problem})")
    return Why(
        sentence=sentence,
        layers=tuple(_moved_most(comparison.layers, stems)),
        is_same_graph=_graphs(old) == _graphs(new),
    )


def _graphs(side: Side) -> list[str]:
    """Return the digests of the files that a graph is from."""
    return [file.sha256 for file in side.origin.inputs if file.role != "run_meta"]


def _moved_most(layers: pa.Table, stems: Sequence[str]) -> Iterator[LayerMove]:
    """Yield the layers that moved most of the first of the figures that any layer moved."""
    for stem in stems:
        if f"delta_{stem}" not in layers.column_names:
            continue
        moved = [
            LayerMove(name=name, stem=stem, delta=delta)
            for name, delta in zip(layers["layer"].to_pylist(), layers[f"delta_{stem}"].to_pylist(), strict=True)
            if delta and name
        ]
        yield from sorted(moved, key=lambda each: (-abs(each.delta), each.name))[:_LAYERS]
        if moved:
            return
