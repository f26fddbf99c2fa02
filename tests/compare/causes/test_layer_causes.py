"""What holds for the causes of any change."""

from __future__ import annotations

from typing import Any

import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from layered import any_graphs, layered, side_from
from messages import graph, node

from tfprof_report.compare.causes.blocks import Blocks
from tfprof_report.compare.causes.cause_kinds import CauseKind, Reason
from tfprof_report.compare.causes.layer_causes import STEMS, _key_alone, find_causes
from tfprof_report.compare.causes.sentence import Names, say_why
from tfprof_report.compare.compare import compare
from tfprof_report.compare.comparison import RowStatus


@settings(max_examples=examples(30))
@given(layered(), layered())
def test_parts_add_up_to_the_change_of_each_figure_that_is_known(base: Any, head: Any) -> None:
    comparison = compare(side_from(base), side_from(head))
    causes = find_causes(comparison)
    for stem in STEMS:
        total = comparison.total_of(stem)
        if total is not None and total.delta is not None and not any(cause.open.get(stem) for cause in causes):
            assert sum(cause.parts.get(stem, 0) for cause in causes) == total.delta, stem


@settings(max_examples=examples(30))
@given(any_graphs(), any_graphs())
def test_the_sentence_names_causes_of_any_change(base: Any, head: Any) -> None:
    comparison = compare(side_from(base), side_from(head))
    causes = find_causes(comparison)
    why = say_why(comparison, causes, STEMS)
    assert bool(why) <= bool(causes)
    assert "nothing" not in why
    names = Names(comparison)
    for cause in causes:
        layers, what = names.label(cause)
        assert what, cause
        assert layers or cause.layers in {(), (None,)}, cause


@pytest.mark.thorough
@settings(max_examples=examples(30))
@given(any_graphs(), st.randoms(use_true_random=False))
def test_the_same_graph_in_any_order_has_no_causes(model: Any, random: Any) -> None:
    nodes = list(model.node)
    random.shuffle(nodes)
    side = side_from(model)
    assert find_causes(compare(side, side)) == ()
    if len({each.name for each in nodes}) == len(nodes):  # of nodes with one name the first one is the node
        assert find_causes(compare(side, side_from(graph(*nodes)))) == ()


def test_a_layer_with_a_doubtful_partner_is_in_its_place() -> None:
    row = {"status": RowStatus.CHANGED, "base_layer": "conv3", "layer": "mixer1"}
    form = {"conv2": "conv", "conv3": "conv", "mixer1": "dense"}
    counted = frozenset({("conv", "", "conv")})  # conv2 is left, so that conv3 would be one of several
    blocks = Blocks(alone=({}, {}), order=((), ()), partner={}, counted=(counted, counted), forms=(form, form))
    reason = Reason(kind=CauseKind.REPLACED, base="conv3", head="mixer1", is_of_layers=True)
    assert _key_alone(row, blocks) == ((reason,), "")


@pytest.mark.parametrize(("variable", "layer"), [("//", "/"), ("/b/kernel", "/b"), ("p//q", "p")])
def test_a_layer_whose_name_begins_with_a_slash_has_a_name(variable: str, layer: str) -> None:
    base, head = graph(node("x", "Placeholder")), graph(node("y", "MatMul"), node(variable, "VariableV2"))
    comparison = compare(side_from(base), side_from(head))
    labels = [Names(comparison).label(cause) for cause in find_causes(comparison)]
    assert (layer, "new") in labels
