from __future__ import annotations

from typing import Any

import pytest
from messages import graph, inputs_of, node, ran, run_meta, shape_proto

from tfprof_report.ingest.graph_def import SHAPES
from tfprof_report.model.shapes.from_run import FilledShapes, fill_shapes
from tfprof_report.semantics import CORRECTED, TFPROF, Semantics

CPU = "/device:CPU:0"
ABSENT = "absent"


def saw(name: str, *shapes: Any) -> Any:
    """Return a record of a node with outputs of these shapes; None is an unknown rank."""
    made = ran(name, outputs=[None] * len(shapes))
    for output, shape in zip(made.output, shapes, strict=True):
        output.tensor_description.SetInParent()
        if shape != ABSENT:
            output.tensor_description.shape.CopyFrom(shape_proto(shape))
    return made


def filled(static: list[Any], *records: Any, semantics: Semantics = TFPROF) -> FilledShapes:
    """Return the filled shapes of the outputs of one node, named n."""
    inputs = inputs_of(graph(node("n", "A", output_shapes=static)), [(0, run_meta({CPU: list(records)}))])
    nodes = inputs.graph.nodes
    shapes = nodes["output_shapes"].combine_chunks().cast(SHAPES)
    return fill_shapes(nodes["name"].combine_chunks(), shapes, inputs.run_metas, semantics)


def shapes_of(*given: Any, semantics: Semantics = TFPROF) -> Any:
    return filled(*given, semantics=semantics).output_shapes.to_pylist()[0]


@pytest.mark.parametrize(
    ("static", "at_run", "expected"),
    [
        ([-1, 5], [3, 5], [3, 5]),
        (None, [3, 5], [3, 5]),
        ([-1, -1], [0, 7], [0, 7]),
        ([-1, 5], [3, 6], [-1, 5]),
        ([-1, 5], [3], [-1, 5]),
        ([4, 5], [3, 5], [4, 5]),
        (None, [], []),
    ],
)
def test_unknown_sizes_come_from_the_run_where_both_agree(static: Any, at_run: Any, expected: Any) -> None:
    assert shapes_of([static], saw("n", at_run)) == [expected]


def test_outputs_are_told_by_their_place_and_only_open_ones_are_filled() -> None:
    assert shapes_of([[2], None, [-1]], saw("n", [9], [4, 4], [6])) == [[2], [4, 4], [6]]


def test_a_record_with_another_number_of_outputs_or_another_name_does_not_count() -> None:
    assert shapes_of([None], saw("n", [1], [2]), saw("n:Add", [3]), saw("m", [4]), saw("n")) == [None]


def test_the_first_record_that_agrees_counts_and_conflicts_before_it_are_told() -> None:
    result = filled([[-1, 5]], saw("n", [1, 6]), saw("n", [2, 5]), saw("n", [3, 5]), saw("n", [3, 6]))
    assert result.output_shapes.to_pylist() == [[[2, 5]]]
    assert result.conflicts.tolist() == [0]


def test_an_absent_shape_is_a_scalar_under_tfprof_only() -> None:
    for absent in (saw("n", ABSENT), ran("n", outputs=[None])):
        assert shapes_of([None], absent) == [[]]
        assert shapes_of([None], absent, semantics=CORRECTED) == [None]
    assert shapes_of([None], saw("n", ABSENT), saw("n", [2]), semantics=CORRECTED) == [[2]]


def test_without_run_metadata_nothing_changes() -> None:
    nodes = inputs_of(graph(node("n", "A", output_shapes=[None, [2]]), node("m", "B"))).graph.nodes
    shapes = nodes["output_shapes"].combine_chunks()
    result = fill_shapes(nodes["name"].combine_chunks(), shapes, (), TFPROF)
    assert result.output_shapes.to_pylist() == [[None, [2]], None]
    assert result.conflicts.tolist() == []
