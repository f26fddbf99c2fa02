from __future__ import annotations

import time

import pytest
from messages import entry, graph, node, op_log

from tfprof_report import profiler
from tfprof_report.profiler import GraphNodeProto, MultiGraphNodeProto, ProfileOptionBuilder

MODEL = graph(
    node("a", "Const", output_shapes=[[]]),
    node("b/c", "Add", "a", "missing", output_shapes=[[-1, 2]]),
    node("b/d", "Add", "b/c", "^a"),
)
LOG = op_log(entry("b/c", float_ops=3), entry("b/d", float_ops=4))
OPTIONS = ProfileOptionBuilder().select(["float_ops"]).with_max_depth(1_000_000).with_empty_output().build()


def result_of(cmd: str) -> profiler.ResultNode:
    return profiler.profile(MODEL, op_log=LOG, cmd=cmd, options=OPTIONS, rules="none")


def test_scopes_are_nested_as_shown() -> None:
    root = result_of("scope")
    assert (root.name, root.total_float_ops, root.total_definition_count) == ("_TFProfRoot", 7, 4)
    assert [child.name for child in root.children] == ["a", "b"]
    scope = root.children[-1]
    assert (scope.float_ops, scope.total_float_ops) == (0, 7)
    assert [(child.name, child.float_ops) for child in scope.children[:]] == [("b/c", 3), ("b/d", 4)]
    assert scope.children[0].input_shapes == {0: (), 1: None}
    assert scope.children[0].devices == []
    assert repr(root.children) == "[a, b]"
    assert "total_float_ops=7" in repr(root)


def test_op_rows_are_nested_and_have_their_nodes() -> None:
    root = result_of("op")
    first = root.children[0]
    assert (first.name, [each.name for each in first.graph_nodes]) == ("Add", ["b/c", "b/d"])
    assert (first.graph_nodes[1].total_float_ops, first.graph_nodes[1].total_definition_count) == (4, 1)
    assert first.children[0].name == "Const"


def test_a_field_that_the_message_lacks_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="GraphNodeProto has no field graph_nodes"):
        _ = result_of("scope").graph_nodes
    with pytest.raises(AttributeError, match="MultiGraphNodeProto has no field run_count"):
        _ = result_of("op").run_count
    assert "total_parameters" in dir(result_of("op"))


@pytest.mark.parametrize(
    ("cmd", "message"), [("scope", GraphNodeProto), ("graph", GraphNodeProto), ("op", MultiGraphNodeProto)]
)
def test_bytes_and_message_are_the_same(cmd: str, message: type) -> None:
    root = result_of(cmd)
    assert message.FromString(root.SerializeToString()) == root.to_proto()
    child = root.children[0]
    assert message.FromString(child.SerializeToString()) == child.to_proto() == root.to_proto().children[0]


def test_a_message_has_the_fields_of_tfprof() -> None:
    proto = result_of("scope").to_proto()
    inner = proto.children[1].children[0]
    assert (inner.name, inner.float_ops, inner.total_definition_count) == ("b/c", 3, 1)
    assert [dim.size for dim in inner.input_shapes[0].dim] == [1]
    assert inner.input_shapes[1].unknown_rank


def test_a_table_has_a_row_per_shown_row() -> None:
    root = result_of("scope")
    table = root.to_pandas()
    assert table["name"].tolist() == ["_TFProfRoot", "a", "b", "b/c", "b/d"]
    assert table["parent"].tolist()[1:] == [0, 0, 2, 2]
    assert table["depth"].tolist() == [1, 2, 2, 3, 3]
    assert table["total_float_ops"].tolist() == [7, 0, 7, 3, 4]
    scope = root.children[1].to_pandas()
    assert scope["name"].tolist() == ["b", "b/c", "b/d"]
    assert scope["parent"].isna().tolist() == [True, False, False]


def test_unknown_figures_are_none_when_corrected() -> None:
    log = op_log(entry("b/c", float_ops=3))
    root = profiler.profile(MODEL, op_log=log, options=OPTIONS, rules="none", semantics="corrected")
    constant, scope = root.children
    assert constant.float_ops == 0  # it can have none
    assert scope.children[1].float_ops is None
    assert root.to_proto().children[1].children[1].float_ops == 0


def test_a_sum_that_lacks_nodes_is_no_figure_but_a_lower_bound() -> None:
    log = op_log(entry("b/c", float_ops=3))
    root = profiler.profile(MODEL, op_log=log, options=OPTIONS, rules="none", semantics="corrected")
    scope = root.children[1]
    assert (scope.total_float_ops, scope.at_least("total_float_ops"), scope.unknown_nodes("total_float_ops")) == (
        None,
        3,
        1,
    )
    known = scope.children[0]
    assert (known.total_float_ops, known.at_least("total_float_ops"), known.unknown_nodes("total_float_ops")) == (
        3,
        3,
        0,
    )
    with pytest.raises(AttributeError, match="has no field flops"):
        root.at_least("flops")
    table = root.to_pandas().set_index("name")
    assert table["total_float_ops"].isna().tolist() == [True, False, True, False, True]
    assert table["at_least_total_float_ops"].fillna(-1).tolist() == [3, 0, 3, 3, -1]
    assert table["unknown_nodes_total_float_ops"].tolist() == [1, 0, 1, 0, 1]
    as_tfprof = profiler.profile(MODEL, op_log=log, options=OPTIONS, rules="none")
    assert (as_tfprof.total_float_ops, as_tfprof.unknown_nodes("total_float_ops")) == (3, 0)


def test_a_chain_far_deeper_than_protobuf_allows_comes_back_whole() -> None:
    count = 20_000
    chain = graph(*(node(f"n{at:06}", "A", *([f"n{at - 1:06}"] if at else [])) for at in range(count)))
    started = time.monotonic()
    root = profiler.profile(chain, cmd="graph", options=OPTIONS)
    data = root.SerializeToString()
    assert time.monotonic() - started < 20
    assert (len(data) > 20 * count, root.total_definition_count) == (True, count)
    deepest = root.to_pandas()["depth"].max()
    assert deepest == count + 1
