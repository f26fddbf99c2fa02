"""The tree of layers: scopes of several layers are rows, totals add up, and what is in no layer is beside them."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from layer_rows import layers_of

from tfprof_report.compare.causes import layer_tree as tree_module
from tfprof_report.compare.causes.layer_tree import layer_tree

NO_SCOPES = pa.array([], pa.string())


def tree_of(figures: dict[str | None, int | None], **others: int) -> list[tuple[Any, ...]] | None:
    """Return name, leaf, depth, own figure and total of each row."""
    layers = layers_of({name: {"float_ops": figure} for name, figure in figures.items()})
    tree = layer_tree(layers, "float_ops", others, NO_SCOPES)
    columns = ("name", "leaf", "depth", "self_float_ops", "total_float_ops")
    return tree and list(zip(*(tree[column].to_pylist() for column in columns), strict=True))


def test_a_scope_is_a_row_if_several_layers_are_in_it_and_the_largest_comes_first() -> None:
    assert tree_of({"a/b/conv": 1, "a/b/fc": 2, "c/d/e": 9}, outside=5) == [
        ("c/d/e", "c/d/e", 1, 9, 9),
        ("outside", "outside", 1, 5, 5),
        ("a/b", "a/b", 1, 0, 3),
        ("a/b/fc", "fc", 2, 2, 2),
        ("a/b/conv", "conv", 2, 1, 1),
    ]


def test_a_layer_may_be_a_scope_of_others() -> None:
    assert tree_of({"a": 1, "a/b": 2}) == [("a", "a", 1, 1, 3), ("a/b", "b", 2, 2, 2)]


def test_what_is_unknown_or_nothing_has_no_row() -> None:
    assert tree_of({"a": 1, "b": None, "c": 0, "d": -1, None: 7}, outside=0) == [("a", "a", 1, 1, 1)]
    assert tree_of({"b": None, "c": 0}) is None


def test_totals_beyond_int64_do_not_wrap() -> None:
    rows = tree_of({"a/b": 2**62, "a/c": 2**62, "a/d": 2**62})
    assert rows is not None
    assert rows[0] == ("a", "a", 1, 0, 3.0 * 2**62)


def test_the_smallest_of_many_layers_are_one_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree_module, "MOST_LAYERS", 2)
    rows = tree_of({letter: size for size, letter in enumerate("abcd", 1)})
    assert rows is not None
    assert [(row[0], row[4]) for row in rows] == [("d", 4), ("c", 3), ("smaller layers", 3)]


def test_names_with_too_many_parts_have_no_tree() -> None:
    assert tree_of({"/" * 1_000_000: 1}) is None


def test_rows_say_whether_the_view_of_scopes_has_them() -> None:
    tree = layer_tree(layers_of({"a/b": {"micros": 2.5}, "a/c": {"micros": 1.0}}), "micros", {}, pa.array(["a", "a/c"]))
    assert tree is not None
    assert tree.select(["name", "shown", "total_micros"]).to_pylist() == [
        {"name": "a", "shown": True, "total_micros": 3.5},
        {"name": "a/b", "shown": False, "total_micros": 2.5},
        {"name": "a/c", "shown": True, "total_micros": 1.0},
    ]
