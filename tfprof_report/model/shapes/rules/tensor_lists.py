"""Shape rules of ops that read tensor lists (TF2) and TensorArrays (TF1)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tfprof_report.arrays import Ints
from tfprof_report.model.shapes.fold import shape_of_value
from tfprof_report.model.shapes.padded import Shapes, arithmetic, column, insert, merge, replace_at, splice
from tfprof_report.model.shapes.state import Nodes


def _element(nodes: Nodes, place: int, *, are_equal: bool = False) -> Shapes:
    """Return the shape of an element: what an input holds, completed by what is written to the list.

    A scalar is held for an unknown rank.
    """
    given = shape_of_value(nodes, place).where(nodes.shape(place).rank != 0)
    return merge(given, nodes.elements(are_equal=are_equal))[0]


def _with_length(element: Shapes, length: Shapes) -> Shapes:
    start = column(len(element), 0)
    return splice(element, start, start, length)


def _all_rows(element: Shapes, length: Ints) -> Sequence[Shapes]:
    rows = arithmetic(element.dims[:, 0] * length, element.dims[:, 0], length)
    return [replace_at(element, column(len(length), 0), rows), Shapes.of(length)]


def item(nodes: Nodes) -> Shapes:
    """Return the shape of an element, which the third input holds."""
    return _element(nodes, 2)


def popped(nodes: Nodes) -> Sequence[Shapes]:
    """Return the list and the shape of its last element, which the second input holds."""
    return [Shapes.scalars(len(nodes)), _element(nodes, 1)]


def stacked(nodes: Nodes) -> Shapes:
    """Return the number of elements, then their shape, which the second input holds."""
    given = np.maximum(nodes.number("num_elements", -1), -1)
    length = np.where(given < 0, nodes.list_length(), given)
    return insert(_element(nodes, 1, are_equal=True), column(len(nodes), 0), length)


def gathered(nodes: Nodes) -> Shapes:
    """Return the shape of the indices, then that of an element, which the third input holds."""
    return _with_length(_element(nodes, 2), nodes.shape(1))


def concatenated(nodes: Nodes) -> Sequence[Shapes]:
    """Return the rows of all elements, and the number of rows of each."""
    return _all_rows(_element(nodes, 1), nodes.list_length())


def read(nodes: Nodes) -> Shapes:
    """Return the shape of an element of a TensorArray."""
    return nodes.elements()


def gathered_of_array(nodes: Nodes) -> Shapes:
    """Return the number of indices, then the shape of the elements of a TensorArray."""
    return _with_length(nodes.elements(), nodes.shape(1))


def concatenated_of_array(nodes: Nodes) -> Sequence[Shapes]:
    """Return the rows of all elements of a TensorArray, and the number of rows of each."""
    return _all_rows(nodes.elements(), nodes.list_length())


def packed(nodes: Nodes) -> Shapes:
    """Return the number of elements of a TensorArray, then their shape."""
    return insert(nodes.elements(are_equal=True), column(len(nodes), 0), nodes.list_length())
