"""Hypothesis strategies of graphs with layers, and sides measured from graphs without files."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from messages import graph, graphs, inputs_of, node
from report_builders import make_origin

from tfprof_report.compare.side import Side
from tfprof_report.model.build_table import build_node_table
from tfprof_report.report.measure import measure

_SCOPES = ["a", "a_1", "b/c", "b/c_1", "b/d1", "m/unit1", "m/unit2", "m/unit10", "{x}/%s", "/", "p//q"]
_SIZES = st.sampled_from([1, 2, 3, 5, -1])


@st.composite
def layered(draw: st.DrawFn) -> Any:
    """Draw a GraphDef of dense layers, one after another, some with gradients and updates; sizes may be unknown."""
    nodes = [node("x", "Placeholder", output_shapes=[draw(st.sampled_from([None, [8, 2], [-1, 2]]))])]
    before = "x"
    for scope in draw(st.lists(st.sampled_from(_SCOPES), unique=True, max_size=6)):
        weights, made = f"{scope}/kernel", f"{scope}/{draw(st.sampled_from(['MatMul', 'Odd']))}"
        shape, given = [draw(_SIZES), draw(_SIZES)], draw(st.booleans())
        outputs = {"output_shapes": [[8, shape[1]]]} if given else {}
        nodes += [
            node(weights, "VariableV2", shape=shape),
            node(made, made.rpartition("/")[2], before, weights, **outputs),
        ]
        if draw(st.booleans()):
            nodes.append(node(f"{scope}/Relu", "Relu", made, **outputs))
        if draw(st.booleans()):
            nodes += [
                node(f"gradients/{made}_grad/MatMul", "MatMul", before, made, **outputs),
                node(f"train/{scope}/up", "ApplyGradientDescent", weights, "x", f"gradients/{made}_grad/MatMul"),
            ]
        before = made
    return graph(*nodes)


def any_graphs() -> st.SearchStrategy[Any]:
    """Draw graphs with layers, and such with anything."""
    return st.one_of(layered(), layered(), graphs())


def side_from(model: Any) -> Side:
    """Return a GraphDef, measured, without views."""
    return measure(build_node_table(inputs_of(model)), {}, make_origin())
