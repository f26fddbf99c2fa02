"""What changed in each layer: the figures and facts of both sides, side by side."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, to_bools, whole
from tfprof_report.compare.delta import Open, diff_view
from tfprof_report.compare.layers.layer_table import layer_codes
from tfprof_report.compare.layers.match import match_layers
from tfprof_report.compare.matching.pairs import Partners
from tfprof_report.compare.side import Side
from tfprof_report.schema.metrics import METRICS
from tfprof_report.schema.tables import DIFF_LAYERS, LAYER_FACTS, PHASES, freeze


def diff_layers(base: tuple[Side, Open], head: tuple[Side, Open], nodes: Partners) -> pa.Table:
    """Return one row per layer of either side, the columns of diff_layers.parquet; empty if a side has no layers.

    Parameters
    ----------
    base, head : each side, and by figure its nodes with an unknown part that the other side does not cancel
    nodes : the partners of the nodes of base
    """
    sides = [base[0], head[0]]
    if not all(side.layers.num_rows for side in sides):
        return DIFF_LAYERS.empty_table()
    codes = [layer_codes(side.nodes) for side in sides]
    rows = [_as_view(side.layers) for side in sides]
    pairs = match_layers((codes[0][0], whole(rows[0]["name"])), (codes[1][0], whole(rows[1]["name"])), nodes)
    opens = [
        {stem: _holds(is_open, code, side.layers.num_rows) for stem, is_open in found.items()}
        for (side, found), (code, _) in zip((base, head), codes, strict=True)
    ]
    diff = diff_view(rows[0], rows[1], pairs, opens[0], opens[1])
    facts = {
        f"{word}_{fact}": whole(side.layers[fact]).take(place)
        for fact in (*(f"{phase}_float_ops" for phase in PHASES), *LAYER_FACTS)
        for word, side, place in zip(("base", "head"), sides, (pairs.base_rows, pairs.head_rows), strict=True)
    }
    lines = [
        side.layers["code_line"].take(place)
        for side, place in zip(sides, (pairs.base_rows, pairs.head_rows), strict=True)
    ]
    figures = {name: diff[name] for name in diff.column_names if name not in ("name", "base_name", "depth")}
    return freeze(
        pa.table(
            {
                "layer": _without_empty(diff["name"]),
                "base_layer": _without_empty(diff["base_name"]),
                **figures,
                **facts,
                "code_line": pc.coalesce(lines[1], lines[0]),
            }
        ),
        DIFF_LAYERS,
    )


def _as_view(layers: pa.Table) -> pa.Table:
    """Return layers with the columns of a view's rows; nodes in no layer have an empty name."""
    totals = {f"total_{stem}": layers[stem] for stem in METRICS}
    unknown = {name: layers[name] for name in layers.column_names if name.startswith("unknown_")}
    depth = pa.array(np.ones(layers.num_rows, dtype=np.int64))
    return pa.table({"name": pc.fill_null(layers["layer"], ""), "depth": depth, **totals, **unknown})


def _holds(is_open: Bools, code: Ints, count: int) -> Bools:
    """Return which layers hold an open node."""
    return np.bincount(code[is_open], minlength=count)[:count] > 0


def _without_empty(names: pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.if_else(pa.array(to_bools(pc.fill_null(pc.equal(names, ""), fill_value=False))), None, names)
