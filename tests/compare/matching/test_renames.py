from __future__ import annotations

from fractions import Fraction

import pytest
from examples import examples
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from named_graphs import Graph, Node, dense, matched, nodes_of, renamed

from tfprof_report.compare.matching.renames import MAX_PARTS

few = settings(max_examples=examples(100), deadline=None)
parts = st.sampled_from(["a", "b", "c", "conv", "é|<b>", ""])
nodes: st.SearchStrategy[Node] = st.tuples(
    st.sampled_from(["Conv2D", "Relu", "Const"]), st.just([]), st.lists(st.integers(-1, 3), max_size=3)
)
names = st.lists(parts, min_size=1, max_size=4).map("/".join)
graphs = st.dictionaries(names, nodes, min_size=3, max_size=12)

MODEL: Graph = {
    "x": ("Placeholder", [], [-1, 4]),
    **dense("model/fc1", "x", 4),
    **dense("model/fc2", "model/fc1/Relu", 4),
    **dense("model/fc3", "model/fc2/Relu", 4),
}


def lines(base: Graph, head: Graph) -> list[tuple[str, str, int]]:
    return [(line.base, line.head, line.nodes) for line in matched(nodes_of(base), nodes_of(head))[1].renames]


def below(old: str, new: str, graph: Graph = MODEL) -> Graph:
    return renamed(graph, lambda name: new + name[len(old) :] if name.startswith(old) else name)


@few
@given(
    graphs, st.sampled_from(["", "model/", "old/inner/"]), st.sampled_from(["", "net/", "new/scope/"]), st.integers(0)
)
def test_a_renamed_prefix_gives_back_exactly_its_nodes(graph: Graph, old: str, new: str, seed: int) -> None:
    assume(old != new)
    base, head = renamed(graph, lambda name: old + name), renamed(graph, lambda name: new + name)
    pairs, matching = matched(nodes_of(base, seed), nodes_of(head, seed + 1))
    assert pairs == {old + name: (new + name, "prefix") for name in graph}
    assert [(line.base, line.head, line.nodes) for line in matching.renames] == [(old, new, len(graph))]
    assert matching.unmatched_share == 0


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("model/", "net/", ("model/", "net/", 15)),
        ("model/", "model/encoder/", ("model/", "model/encoder/", 15)),
        ("", "net/", ("", "net/", 16)),
        ("model/", "", ("model/", "", 15)),
        ("model/fc2/", "model/hidden/", ("model/fc2/", "model/hidden/", 5)),
    ],
)
def test_a_change_of_prefix_is_one_line(old: str, new: str, found: tuple[str, str, int]) -> None:
    assert lines(MODEL, below(old, new)) == [found]


def test_a_scope_inside_a_renamed_scope_may_have_another_name_too() -> None:
    base: Graph = {}
    for number in range(12):
        base |= dense(f"model/fc{number}", "x", 4)
    head = below("net/fc2/", "net/hidden/", below("model/", "net/", base))
    assert lines(base, head) == [("model/", "net/", 55), ("model/fc2/", "net/hidden/", 5)]


def test_a_node_that_is_called_like_its_scope_goes_with_it() -> None:
    base: Graph = {
        "fc/W": ("VariableV2", [], [4, 4]),
        "fc/W/Assign": ("Assign", ["fc/W"], [4, 4]),
        "fc/W/read": ("Identity", ["fc/W"], [4, 4]),
    }
    pairs, matching = matched(nodes_of(base), nodes_of(below("fc/W", "fc/weights", base)))
    assert pairs["fc/W"] == ("fc/weights", "prefix")
    assert [(line.base, line.head, line.nodes) for line in matching.renames] == [("fc/W/", "fc/weights/", 3)]


def test_a_renamed_node_may_have_another_op_and_shape() -> None:
    head = below("model/", "net/")
    head["net/fc2/Relu"] = ("Elu", ["net/fc2/BiasAdd"], [-1, 8])
    pairs, _ = matched(nodes_of(MODEL), nodes_of(head))
    assert pairs["model/fc2/Relu"] == ("net/fc2/Relu", "prefix")


def test_a_renamed_scope_may_have_gained_a_part() -> None:
    head = {**below("model/", "net/"), **dense("net/fc4", "net/fc3/Relu", 4), **dense("net/fc5", "net/fc4/Relu", 4)}
    assert lines(MODEL, head) == [("model/", "net/", 15)]
    head |= {**dense("net/fc6", "net/fc5/Relu", 4), **dense("net/fc7", "net/fc6/Relu", 4)}
    assert lines(MODEL, head) == []  # 15 of 35 nodes are less than 50 % of the new scope


def test_a_scope_of_the_same_names_and_other_ops_is_another_scope() -> None:
    head = below("model/", "net/")
    for name in ("net/fc1/Relu", "net/fc2/Relu"):
        head[name] = ("Elu", *head[name][1:])
    assert lines(MODEL, head) == []  # 13 of 15 are less than 90 %


def test_a_layer_of_another_width_is_another_layer_unless_the_rest_of_its_scope_is_the_same() -> None:
    wide: Graph = {**MODEL, **dense("model/fc2", "model/fc1/Relu", 8)}
    assert lines(MODEL, below("model/", "net/", wide)) == [("model/", "net/", 15)]
    assert lines(MODEL, below("model/fc2/", "model/hidden/", wide)) == []


def test_nothing_is_renamed_to_what_base_has_where_head_has_the_old_one_too() -> None:
    towers = {**below("model/", "tower_0/"), **below("model/", "tower_1/")}
    base = {name: node for name, node in towers.items() if name != "tower_1/fc2/Relu"}
    head = {name: node for name, node in towers.items() if name != "tower_0/fc2/Relu"}
    assert lines(base, head) == []


def test_copies_stay_ambiguous() -> None:
    copies = {**below("model/", "one/"), **below("model/", "two/")}
    head = below("one/", "first/", below("two/", "second/", copies))
    pairs, matching = matched(nodes_of(copies), nodes_of(head))
    assert pairs == {"x": ("x", "name")}
    assert matching.unmatched_share == Fraction(60, 62)


def test_one_scope_that_became_two_is_neither() -> None:
    head = {**below("model/", "one/"), **below("model/", "two/")}
    assert matched(nodes_of(MODEL), nodes_of(head))[0] == {"x": ("x", "name")}


def test_ops_that_are_not_known_are_no_reason() -> None:
    base: Graph = {f"gone/{name}": (None, [], None) for name in "abcd"}
    assert matched(nodes_of(base), nodes_of(below("gone/", "new/", base)))[0] == {}


def test_two_nodes_are_too_few_for_a_scope() -> None:
    base: Graph = {"a/one": ("Conv2D", [], [1, 2]), "a/two": ("Relu", [], [1, 2])}
    assert lines(base, below("a/", "b/", base)) == []
    base["a/three"] = ("Elu", [], [1, 2])
    assert lines(base, below("a/", "b/", base)) == [("a/", "b/", 3)]


def test_very_deep_names_stay_as_they_are() -> None:
    base: Graph = {"/".join(["a"] * (MAX_PARTS - 1) + [word]): ("Conv2D", [], [1, 2]) for word in "xyz"}
    assert len(lines(base, below("a/", "b/", base))) == 1
    deep = {f"{name}/deeper": node for name, node in base.items()}
    assert lines(deep, below("a/", "b/", deep)) == []
