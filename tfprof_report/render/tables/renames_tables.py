"""What has another name in head, as tables: renamed scopes, and suggested pairs of nodes."""

from __future__ import annotations

import pyarrow.compute as pc

from tfprof_report.compare.comparison import Comparison, MatchedBy
from tfprof_report.formatting import plural
from tfprof_report.render.tables.cells import Cell, Column, Table, name_cell, number_cell, text_cell
from tfprof_report.schema.files import table_file
from tfprof_report.schema.metrics import Unit

_FILE = table_file("diff_nodes")
_WORDS = {MatchedBy.PREFIX: "same below it", MatchedBy.MAP: "your map", MatchedBy.LAYER: "numbered otherwise"}
_IN_WORDS = {
    MatchedBy.NAME: "by name",
    MatchedBy.PREFIX: "in renamed scopes",
    MatchedBy.MAP: "by your map",
    MatchedBy.LAYER: "by their place in a layer",
    MatchedBy.SUGGESTED: "suggested",
}


def matching_words(comparison: Comparison) -> str:
    """Return a sentence on how nodes were matched; empty if all were matched by name."""
    counts = comparison.matching.counts
    if not comparison.matching.renamed:
        return ""
    return f"Matched nodes: {', '.join(f'{count:,} {_IN_WORDS[word]}' for word, count in counts.items() if count)}."


def renames_tables(comparison: Comparison, limit: int) -> tuple[Table, ...]:
    """Return the tables of renamed scopes and of suggested pairs that have rows, cut to `limit` rows each."""
    tables = (_renames(comparison, limit), _suggestions(comparison, limit))
    return tuple(table for table in tables if table.rows)


def _renames(comparison: Comparison, limit: int) -> Table:
    renames = comparison.matching.renames
    return Table(
        caption="Renamed scopes",
        columns=(Column("In base"), Column("In head"), Column("Nodes", is_number=True), Column("Why")),
        rows=tuple(
            (
                _scope(line.base),
                _scope(line.head),
                number_cell(line.nodes, Unit.COUNT),
                text_cell(_WORDS[line.matched_by]),
            )
            for line in renames[:limit]
        ),
        total=len(renames),
        noun="renames",
        file=_FILE,
    )


def _suggestions(comparison: Comparison, limit: int) -> Table:
    total = comparison.matching.counts[MatchedBy.SUGGESTED]
    columns = (Column("In base"), Column("In head"), Column("Op"))
    if not total:
        return Table(caption="Suggested pairs", columns=columns, rows=())
    nodes = comparison.nodes.select(["base_name", "name", "head_op", "matched_by"])
    found = nodes.filter(pc.equal(nodes["matched_by"], MatchedBy.SUGGESTED.value)).slice(0, limit)
    rows = zip(*(found[name].to_pylist() for name in ("base_name", "name", "head_op")), strict=True)
    note = (
        f"Compared as the same {'node' if total == 1 else 'nodes'}: alike by op, shapes and neighbours, and no other "
        "node is like them. Use --name-map to correct a wrong pair."
    )
    return Table(
        caption=f"Suggested: {plural(total, 'pair')}",
        columns=columns,
        rows=tuple(tuple(map(name_cell, row)) for row in rows),
        notes=(note,),
        total=total,
        noun="pairs",
        file=_FILE,
    )


def _scope(prefix: str) -> Cell:
    """Return a cell with a prefix; the empty prefix is not a name."""
    return name_cell(prefix) if prefix else text_cell("(no prefix)")
