"""Single ops on random inputs have the shapes that TensorFlow infers for them (ci/build_shape_cases.py wrote them)."""

from __future__ import annotations

from collections import defaultdict
from functools import cache

import pyarrow as pa
import pytest
from repository import DATA

from tfprof_report.ingest.decode import decode
from tfprof_report.ingest.graph_def import SHAPES, read_graph
from tfprof_report.ingest.sniff import Kind
from tfprof_report.model.graph.edges import read_edges
from tfprof_report.model.shapes.infer import infer_shapes
from tfprof_report.model.shapes.rules.table import RULES

GRAPH = DATA / "op_shapes" / "graph.pb.gz"

Shape = list[int] | None

TYPES = 500
"""Fewest op types that must be compared."""

FOUR_AXES_FOR_FIVE = "ExtractVolumePatches"
"""For volumes with an unknown size TensorFlow infers patches of four axes; with known sizes, and at run time, five."""


@cache
def pairs(kind: str) -> list[tuple[str, str, Shape, Shape]]:
    """Return op type, node, TensorFlow's shape and ours of every output of a kind of cases."""
    nodes = read_graph(decode(GRAPH.read_bytes(), Kind.GRAPH, file=str(GRAPH), option="--graph")).nodes
    edges = read_edges(nodes["inputs"].combine_chunks(), nodes["name"].combine_chunks())
    ours = infer_shapes(nodes, edges, pa.nulls(nodes.num_rows, SHAPES)).output_shapes.to_pylist()
    found = []
    for name, op, theirs, mine in zip(
        *(nodes[each].to_pylist() for each in ("name", "op", "output_shapes")), ours, strict=True
    ):
        if name.endswith("/op") and f"/{kind}/" in name:
            known = [*(mine or []), *[None] * len(theirs)]
            found += [(op, f"{name}:{place}", shape, known[place]) for place, shape in enumerate(theirs)]
    return found


def known_sizes(shape: Shape) -> int:
    """Return how much of a shape is known: 1 for its rank and 1 for each of its sizes."""
    return 0 if shape is None else 1 + sum(size >= 0 for size in shape)


def test_where_all_inputs_are_known_the_shape_is_tensorflows() -> None:
    compared = pairs("full")
    assert len({op for op, *_ in compared}) >= TYPES
    assert [pair for pair in compared if pair[2] is not None and pair[2] != pair[3]] == []


@pytest.mark.parametrize("kind", ["open", "late"])
def test_what_is_open_is_never_contradicted(kind: str) -> None:
    def clash(one: list[int], two: list[int]) -> bool:
        return len(one) != len(two) or any(a >= 0 and b >= 0 and a != b for a, b in zip(one, two, strict=True))

    assert [
        pair
        for pair in pairs(kind)
        if pair[2] is not None and pair[3] is not None and pair[0] != FOUR_AXES_FOR_FIVE and clash(pair[2], pair[3])
    ] == []


def test_nearly_all_that_tensorflow_knows_of_open_inputs_is_known() -> None:
    less: dict[bool, int] = defaultdict(int)
    for _, _, theirs, ours in pairs("open"):
        less[known_sizes(ours) < known_sizes(theirs)] += 1
    assert less[True] < 0.05 * less[False]


def test_every_op_type_of_the_cases_has_a_rule() -> None:
    assert sorted({op for op, *_ in pairs("full")} - set(RULES)) == []
