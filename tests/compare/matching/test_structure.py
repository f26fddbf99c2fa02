from __future__ import annotations

import hashlib

from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from named_graphs import Graph, dense, matched, nodes_of, renamed

few = settings(max_examples=examples(100), deadline=None)


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    graph: Graph = {}
    for number in range(draw(st.integers(1, 12))):
        sources = draw(st.lists(st.sampled_from(list(graph)), max_size=3)) if graph else []
        marks = draw(st.lists(st.sampled_from(["{}", "{}:1", "^{}"]), min_size=len(sources), max_size=len(sources)))
        op = draw(st.sampled_from(["Relu", "MatMul"]))
        inputs = [mark.format(source) for mark, source in zip(marks, sources, strict=True)]
        graph[f"n{number}"] = (op, inputs, draw(st.sampled_from([[], [2, 2], None])))
    return graph


def hashed(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()


def suggested(base: Graph, head: Graph) -> dict[str, str]:
    pairs, _ = matched(nodes_of(base), nodes_of(head))
    return {name: partner for name, (partner, why) in pairs.items() if why == "suggested"}


def line(*layers: str) -> Graph:
    """Return layers one after the other, between an input and an output."""
    graph: Graph = {"in": ("Placeholder", [], [-1, 4])}
    last = "in"
    for layer in layers:
        graph |= dense(layer, last, 4)
        last = f"{layer}/Relu"
    return {**graph, "out": ("Softmax", [last], [-1, 4])}


@few
@given(graphs(), st.sets(st.integers(0, 11)))
def test_of_nodes_that_are_only_called_otherwise_none_gets_a_wrong_partner(graph: Graph, kept: set[int]) -> None:
    def rename(name: str) -> str:
        return name if int(name[1:]) in kept else hashed(name)

    for name, partner in suggested(graph, renamed(graph, rename)).items():
        assert partner == rename(name)


@few
@given(graphs(), graphs(), st.integers(0, 99))
def test_partners_are_one_to_one_of_one_op_and_the_same_for_every_order(base: Graph, head: Graph, seed: int) -> None:
    head = renamed(head, lambda name: name if name in ("n0", "n3") else f"new_{name}")
    there, _ = matched(nodes_of(base), nodes_of(head))
    assert there == matched(nodes_of(base, seed), nodes_of(head, seed + 1))[0]
    back, _ = matched(nodes_of(head), nodes_of(base))
    assert {(old, new, why) for old, (new, why) in there.items()} == {
        (old, new, why) for new, (old, why) in back.items()
    }
    assert all(base[old][::2] == head[new][::2] for old, (new, why) in there.items() if why == "suggested")


def test_a_node_between_known_ones_is_found() -> None:
    base = line("fc1", "fc2")
    assert suggested(base, renamed(base, lambda name: name.replace("fc1/Relu", "act"))) == {"fc1/Relu": "act"}


def test_nodes_that_were_found_tell_those_beside_them_apart() -> None:
    base = line(*(f"fc{number}" for number in range(30)))
    assert suggested(base, renamed(base, hashed)) == {name: hashed(name) for name in base}


def test_copies_stay_ambiguous() -> None:
    base: Graph = {"x": ("Placeholder", [], [4])}
    for copy in ("one", "two"):
        base |= {f"{copy}_a": ("Relu", ["x"], [4]), f"{copy}_b": ("Neg", [f"{copy}_a"], [4])}
    assert suggested(base, renamed(base, lambda name: name if name == "x" else f"new_{name}")) == {}


def test_one_of_two_that_are_alike_is_not_chosen() -> None:
    base: Graph = {"x": ("Placeholder", [], [4]), "a": ("Relu", ["x"], [4])}
    head: Graph = {"x": ("Placeholder", [], [4]), "b": ("Relu", ["x"], [4]), "c": ("Relu", ["x"], [4])}
    assert suggested(base, head) == {}
    assert suggested(head, base) == {}


def test_the_same_op_somewhere_else_is_another_node() -> None:
    base, head = line("fc1", "fc2"), line("fc1", "fc2")
    base["extra"] = ("Neg", ["fc1/Relu"], [-1, 4])
    head["other"] = ("Neg", ["fc2/Relu"], [-1, 4])
    assert suggested(base, head) == {}


def test_inputs_in_another_order_are_others_and_control_inputs_have_no_order() -> None:
    known: Graph = {"x": ("Placeholder", [], [4]), "y": ("Placeholder", [], [4])}
    assert suggested({**known, "a": ("Sub", ["x", "y"], [4])}, {**known, "b": ("Sub", ["y", "x"], [4])}) == {}
    assert suggested({**known, "a": ("Sub", ["x", "y:1"], [4])}, {**known, "b": ("Sub", ["x", "y"], [4])}) == {}
    pair = suggested({**known, "a": ("NoOp", ["^x", "^y"], [4])}, {**known, "b": ("NoOp", ["^y", "^x"], [4])})
    assert pair == {"a": "b"}


def test_nodes_without_neighbours_and_sides_without_inputs_get_no_suggestions() -> None:
    assert suggested({"a": ("NoOp", [], [])}, {"b": ("NoOp", [], [])}) == {}
    base = line("fc1", "fc2")
    head = nodes_of(renamed(base, hashed)).drop_columns("inputs")
    assert matched(nodes_of(base), head)[0] == {}
