"""FLOPs of both sides that rest on unlike sizes: another batch, or a run of one side only."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from tfprof_report.compare.matching.pairs import match_rows
from tfprof_report.compare.unlike_sizes import UnlikeSizes, find_unlike_sizes
from tfprof_report.model.shapes.basis import basis_of
from tfprof_report.schema.tables import NODES

Node = tuple[str, str | None, int | None, str | None]
"""Name, source of its shape, first size of its output, what its FLOPs rest on."""


def side(*nodes: Node) -> pa.Table:
    columns: dict[str, list[Any]] = {
        "name": [name for name, _, _, _ in nodes],
        "shape_source": [source for _, source, _, _ in nodes],
        "output_shapes": [None if size is None else [[size, 3]] for _, _, size, _ in nodes],
        "float_ops_assumes": [rests for _, _, _, rests in nodes],
    }
    types = {field.name: field.type for field in NODES}
    return pa.table(
        {
            name: pa.array(values, pa.string()).dictionary_encode()
            if pa.types.is_dictionary(types[name])
            else pa.array(values, types[name])
            for name, values in columns.items()
        }
    )


def assumed(size: int, name: str = "x") -> pa.Table:
    """Return an input with an assumed batch, a node that rests on it, and one that does not."""
    return side((name, "batch", size, None), ("conv", "inferred", size, "batch"), ("decay", "graph", 9, None))


def written(size: int, name: str = "x") -> pa.Table:
    """Return the same nodes with a batch in the graph."""
    return side((name, "graph", size, None), ("conv", "graph", size, None), ("decay", "graph", 9, None))


def found(base: pa.Table, head: pa.Table) -> UnlikeSizes:
    return find_unlike_sizes(base, head, match_rows(base["name"], head["name"]))


@pytest.mark.parametrize(
    ("base", "head"),
    [(assumed(1), assumed(1)), (assumed(1), assumed(1, "y")), (written(32), written(64)), (assumed(4), written(4))],
    ids=["same", "renamed", "written", "written_alike"],
)
def test_figures_at_the_same_batch_or_at_written_ones_are_compared(base: pa.Table, head: pa.Table) -> None:
    for one, other in ((base, head), (head, base)):
        unlike = found(one, other)
        assert (unlike.nodes.any(), unlike.reasons) == (False, ())


@pytest.mark.parametrize(
    ("base", "head", "reason"),
    [
        (assumed(1), assumed(8), "base is at batch 1 of x, head at batch 8 of x"),
        (written(32), assumed(1), "base is at no assumed batch, head at batch 1 of x"),
        (assumed(1), side(("x", "graph", -1, None), ("conv", None, None, None), ("decay", "graph", 9, None)), None),
        (written(1, "other"), assumed(1), "base is at no assumed batch, head at batch 1 of x"),
    ],
    ids=["other", "written_unlike", "open", "no_partner"],
)
def test_figures_that_rest_on_unlike_batches_are_not(base: pa.Table, head: pa.Table, reason: str | None) -> None:
    unlike = found(base, head)
    names = np.array(match_rows(base["name"], head["name"]).names.to_pylist())
    assert names[unlike.nodes].tolist() == ["conv"]
    assert unlike.reasons == (reason or "base is at batch 1 of x, head at no assumed batch",)


def test_sizes_from_a_run_are_compared_with_those_of_another_run_only() -> None:
    run = side(("x", "run_metadata", 5, None), ("conv", "inferred", 5, "run_metadata"), ("decay", "graph", 9, None))
    assert found(run, run).reasons == ()
    unlike = found(run, written(5))
    assert unlike.reasons == ("only base has sizes from a run",)
    assert unlike.nodes.tolist() == [False, True, False]


def test_a_basis_names_the_inputs() -> None:
    many = [(name, "batch", 2, None) for name in "abcde"]
    assert basis_of(assumed(1)).words == "at batch 1 of x"
    assert basis_of(side(*many, ("conv", "inferred", 2, "batch"))).of_batch == "at batch 2 of a, b, c and 2 more"
    assert basis_of(side(*many[:2], ("c", None, 2, "batch"), ("r", None, 5, "run_metadata"))).words == (
        "at batch 2 of a and b; sizes from a run"
    )


def test_a_batch_on_which_no_figure_rests_is_not_mentioned() -> None:
    assert basis_of(side(("x", "batch", 1, None))).words == ""
    assert basis_of(written(1)).words == ""
