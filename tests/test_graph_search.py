"""Searches in Python and by scipy find the same, in the same order."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfprof_report import graph_search
from tfprof_report.arrays import Ints, marks

Edges = tuple[Ints, Ints, int]


@st.composite
def edges(draw: st.DrawFn) -> Edges:
    """Draw edges between some of at most 9 nodes; they may be repeated, and lead from a node to itself."""
    count = draw(st.integers(1, 9))
    node = st.integers(0, count - 1)
    pairs = draw(st.lists(st.tuples(node, node), max_size=16))
    source, target = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    return source, target, count


@contextmanager
def by_scipy() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(graph_search, "FEW", 0)
        patch.setattr(graph_search, "FEW_IN_ORDER", 0)
        yield


def plain(found: Any) -> Any:
    return [plain(each) for each in found] if isinstance(found, tuple) else np.asarray(found).tolist()


def closure(source: Ints, target: Ints, count: int) -> Any:
    """Return which nodes are reachable from which, including each from itself."""
    leads = np.eye(count, dtype=bool)
    leads[source, target] = True
    for _ in range(count):
        leads = leads @ leads
    return leads


@given(edges(), st.sets(st.integers(0, 8)))
def test_reachable_nodes_are_the_same_by_both(drawn: Edges, first: set[int]) -> None:
    source, target, count = drawn
    start = marks(np.array([node for node in first if node < count], dtype=np.int64), count)
    found = graph_search.reachable(start, source, target)
    assert found.tolist() == (closure(*drawn)[start].any(axis=0)).tolist()
    with by_scipy():
        assert graph_search.reachable(start, source, target).tolist() == found.tolist()


@given(edges())
def test_parts_are_the_same_by_both_and_numbered_by_first_node(drawn: Edges) -> None:
    source, target, count = drawn
    parts, part = graph_search.components(*drawn)
    joined = closure(np.append(source, target), np.append(target, source), count)
    assert (part[:, None] == part).tolist() == joined.tolist()
    assert list(dict.fromkeys(part.tolist())) == list(range(parts))
    with by_scipy():
        assert plain(graph_search.components(*drawn)) == plain((parts, part))


@given(edges())
def test_nodes_of_a_cycle_are_the_same_by_both(drawn: Edges) -> None:
    leads = closure(*drawn)
    in_a_cycle = (leads & leads.T).tolist()
    number = graph_search.cycles(*drawn)
    assert (number[:, None] == number).tolist() == in_a_cycle
    with by_scipy():
        number = graph_search.cycles(*drawn)
    assert (number[:, None] == number).tolist() == in_a_cycle


@given(edges())
def test_the_depth_first_order_is_the_same_by_both(drawn: Edges) -> None:
    source, target, count = drawn
    found = graph_search.depth_first(source, target, root=0, count=count)
    assert plain(found) == recursive(source.tolist(), target.tolist())
    with by_scipy():
        assert plain(graph_search.depth_first(source, target, root=0, count=count)) == plain(found)


def recursive(source: list[int], target: list[int]) -> list[list[int]]:
    """Return what a depth-first search from node 0 visits, and from where."""
    seen, order, above = {0}, [], []

    def visit(node: int) -> None:
        for one, other in zip(source, target, strict=True):
            if one == node and other not in seen:
                seen.add(other)
                order.append(other)
                above.append(node)
                visit(other)

    visit(0)
    return [order, above]


def test_a_long_chain_of_few_edges_needs_no_recursion() -> None:
    nodes = np.arange(graph_search.FEW)
    order, above = graph_search.depth_first(nodes, nodes + 1, root=0, count=len(nodes) + 1)
    assert (order.tolist(), above.tolist()) == ((nodes + 1).tolist(), nodes.tolist())
    assert graph_search.components(nodes + 1, nodes, len(nodes) + 1)[0] == 1
    assert len(set(graph_search.cycles(nodes, nodes + 1, len(nodes) + 1).tolist())) == len(nodes) + 1
    assert graph_search.reachable(marks(np.array([1]), len(nodes) + 1), nodes, nodes + 1).sum() == len(nodes)


def places(found: Edges) -> list[int]:
    result: list[int] = graph_search.topological(*found).tolist()
    return result


@given(edges(), st.sampled_from([1, 2, 256]))
def test_edges_lead_forward_in_topological_order(found: Edges, wide: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(graph_search, "_WIDE", wide)
        place = places(found)
    source, target, count = found
    pairs = list(zip(source.tolist(), target.tolist(), strict=True))
    behind = {node for node in range(count) if place[node] < 0}
    assert sorted(place[node] for node in range(count) if node not in behind) == list(range(count - len(behind)))
    assert all(place[one] < place[other] for one, other in pairs if other not in behind)
    assert all(any(one in behind and other == node for one, other in pairs) for node in behind)


def test_nodes_are_ordered_by_level() -> None:
    source, target = np.array([0, 2, 1, 3]), np.array([2, 3, 3, 4])
    assert places((source, target, 5)) == [0, 1, 2, 3, 4]
    assert places((np.array([4, 4]), np.array([0, 1]), 5)) == [3, 4, 0, 1, 2]
