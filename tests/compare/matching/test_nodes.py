from __future__ import annotations

from fractions import Fraction

import pyarrow as pa
import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from named_graphs import Graph, dense, matched, nodes_of, renamed

from tfprof_report.compare.comparison import MatchedBy, Rename
from tfprof_report.compare.matching import nodes as node_match

MODEL: Graph = {
    "x": ("Placeholder", [], [-1, 4]),
    **dense("model/fc1", "x", 4),
    **dense("model/fc2", "model/fc1/Relu", 8),
}


def test_each_way_is_for_what_the_one_before_left_over() -> None:
    base = {**MODEL, "gone": ("NoOp", [], []), "y": ("Softmax", ["model/fc2/Relu"], [-1, 8])}
    head = renamed(base, lambda name: {"y": "probabilities", "gone": "new"}.get(name, name.replace("fc2/", "last/")))
    pairs, matching = matched(nodes_of(base), nodes_of(head))
    assert pairs["x"] == ("x", "name")
    assert pairs["model/fc2/kernel"] == ("model/last/kernel", "prefix")
    assert pairs["y"] == ("probabilities", "suggested")
    assert matching.counts == {
        MatchedBy.NAME: 6,
        MatchedBy.PREFIX: 5,
        MatchedBy.MAP: 0,
        MatchedBy.LAYER: 0,
        MatchedBy.SUGGESTED: 1,
    }
    assert matching.renames == (Rename(base="model/fc2/", head="model/last/", nodes=5, matched_by=MatchedBy.PREFIX),)
    assert matching.unmatched_share == Fraction(2, 26)


def test_sides_without_nodes_have_no_unmatched_share() -> None:
    pairs, matching = matched(nodes_of({}), nodes_of({}))
    assert (pairs, matching.unmatched_share) == ({}, None)


def test_where_all_names_match_nothing_else_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(node_match, "find_renames")
    monkeypatch.delattr(node_match, "find_alike")
    more = {**MODEL, "new": ("NoOp", [], [])}
    for base, head in ((MODEL, MODEL), (MODEL, more), (more, MODEL)):
        assert matched(nodes_of(base), nodes_of(head))[1].counts[MatchedBy.NAME] == len(MODEL)


def test_a_side_without_shapes_or_ops_is_matched_by_name_alone() -> None:
    bare = [
        pa.table({"name": pa.array(names), "op": pa.nulls(2, pa.string())}) for names in (["a", "m/b"], ["a", "n/b"])
    ]
    assert matched(*bare)[0] == {"a": ("a", "name")}
    nothing = {"inputs": pa.list_(pa.string()), "output_shapes": pa.list_(pa.list_(pa.int64())), "shape": pa.null()}
    for name, kind in nothing.items():
        bare = [side.append_column(name, pa.nulls(2, kind)) for side in bare]
    assert matched(*bare)[0] == {"a": ("a", "name")}


@settings(max_examples=examples(50), deadline=None)
@given(st.data())
def test_names_of_any_kind_and_length_are_compared(data: st.DataObject) -> None:
    words = st.text(st.characters(codec="utf-8"), max_size=5) | st.just("a" * 10_000) | st.just("/" * 200)
    base, head = (data.draw(st.lists(words, unique=True, max_size=8)) for _ in range(2))
    found, _ = matched(
        nodes_of({name: ("Relu", [], [2, 2]) for name in base}), nodes_of({name: ("Relu", [], [2, 2]) for name in head})
    )
    assert {name for name, (partner, why) in found.items() if why == "name"} == set(base) & set(head)
