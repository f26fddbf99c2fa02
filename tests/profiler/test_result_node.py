from __future__ import annotations

import copy
import io
import pickle
import time
from collections.abc import Callable
from typing import Any

import pytest
from google.protobuf import json_format, text_format
from google.protobuf.message import Message
from messages import entry, graph, node, op_log, ran, run_meta

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
    shapes = scope.children[0].input_shapes
    assert {position: [dim.size for dim in shape.dim] for position, shape in shapes.items()} == {0: [1], 1: []}
    assert (shapes[0].unknown_rank, shapes[1].unknown_rank) == (False, True)
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


STEP = run_meta({"/device:CPU:0": [ran("b/c", micros=3), ran("b/d", micros=4)]})
TRACED = op_log(entry("b/c", traces=[(1, 0, 1), (2, 0, 1)]), entry("b/d", traces=[(3, 0, 1)]), strings={0: "a", 1: "f"})
SHOWN = OPTIONS | {"select": ["float_ops", "micros", "params"]}


def rows(cmd: str) -> dict[str, profiler.ResultNode]:
    """Return rows of each kind: the root, rows within and at the end, and nodes of groups."""
    log = op_log(*LOG.log_entries, *TRACED.log_entries, strings=TRACED.id_to_string)
    root = profiler.profile(MODEL, STEP, log, cmd=cmd, options=SHOWN, rules="none")
    found = {"root": root, "first": root.children[0], "last": root.children[-1]}
    if cmd in ("op", "code"):
        found["member"] = next(
            each for row in (root.children[0], *root.children[0].children) for each in row.graph_nodes
        )
    return found


def outcome(read: Callable[[Any], object], message: Any) -> object:
    """Return what a reading function returns, or the type of the error that it raises."""
    try:
        return read(message)
    except (AttributeError, TypeError, ValueError, NotImplementedError) as error:
        return type(error)


READS: dict[str, Callable[[Any], object]] = {
    "text": text_format.MessageToString,
    "one line": lambda message: text_format.MessageToString(message, as_one_line=True),
    "str": str,
    "dict": json_format.MessageToDict,
    "all of dict": lambda message: json_format.MessageToDict(message, always_print_fields_with_no_presence=True),
    "JSON": lambda message: json_format.MessageToJson(message, preserving_proto_field_name=True),
    "fields": lambda message: [(field.name, field.number) for field, _ in message.ListFields()],
    "size": lambda message: message.ByteSize(),
    "descriptor": lambda message: message.DESCRIPTOR.full_name,
    "initialized": lambda message: message.IsInitialized(),
    "number": lambda message: message.NAME_FIELD_NUMBER,
    "HasField": lambda message: message.HasField("tensor_value"),
    "HasField of a number": lambda message: message.HasField("name"),
    "HasField of nothing": lambda message: message.HasField("nope"),
    "in": lambda message: "tensor_value" in message,
    "oneof": lambda message: message.WhichOneof("kind"),
    "hash": hash,
    "other": lambda message: (message == 0, message != 0, bool(message)),
    "shapes": lambda message: list(message.shapes),
    "tensor": lambda message: message.tensor_value,
    "input shapes": lambda message: {place: str(shape) for place, shape in message.input_shapes.items()},
    "devices": lambda message: list(message.devices),
    "nodes": lambda message: [each.name for each in message.graph_nodes],
    "figures": lambda message: (message.exec_micros, message.float_ops, message.total_parameters),
    "runs": lambda message: message.run_count,
    "children": lambda message: [each.name for each in message.children[-2:]],
    "unknown field": lambda message: message.nope,
    "private": lambda message: message._nope,
}


@pytest.mark.parametrize("cmd", ["scope", "graph", "op", "code"])
def test_results_are_read_like_messages(cmd: str) -> None:
    for which, row in rows(cmd).items():
        message = row.to_proto()
        assert isinstance(row, Message)
        for name, read in READS.items():
            assert outcome(read, row) == outcome(read, message), (which, name)
        assert (row == message, message == row, row != message) == (True, True, False)
        assert row.children == list(message.children)
        assert type(message).FromString(row.SerializePartialToString(deterministic=True)) == message


@pytest.mark.parametrize("cmd", ["scope", "graph", "op", "code"])
@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda row: pickle.loads(pickle.dumps(row))])
def test_a_copy_of_a_row_is_equal_and_complete(cmd: str, again: Callable[[Any], Any]) -> None:
    for row in rows(cmd).values():
        made = again(row)
        assert (type(made), made == row, made is row) == (type(row), True, False)
        assert made.to_proto() == row.to_proto()
        assert made.to_pandas().equals(row.to_pandas())
        assert [each.to_proto() for each in again(list(row.children))] == [each.to_proto() for each in row.children]


def test_a_pickled_row_has_only_what_is_below_it() -> None:
    many = graph(*(node(f"a/{number}", "Const") for number in range(2000)), node("b", "Const"))
    root = profiler.profile(many, cmd="scope", options=OPTIONS)
    assert len(pickle.dumps(root.children[1])) < len(pickle.dumps(root)) / 10


def test_rows_that_differ_in_a_figure_are_not_equal() -> None:
    other = profiler.profile(MODEL, op_log=op_log(entry("b/c", float_ops=3)), cmd="scope", options=OPTIONS)
    mine = result_of("scope")
    assert mine != other
    assert mine.children[0] == other.children[0]
    assert mine != result_of("op")
    assert mine.children != list(mine.children)[:1]


@pytest.mark.parametrize(
    "change",
    [
        lambda row: row.CopyFrom(row),
        lambda row: row.MergeFrom(row.to_proto()),
        lambda row: row.ParseFromString(b""),
        lambda row: row.Clear(),
        lambda row: row.ClearField("name"),
    ],
    ids=["CopyFrom", "MergeFrom", "ParseFromString", "Clear", "ClearField"],
)
def test_a_change_is_refused_with_the_way_out(change: Callable[[Any], object]) -> None:
    row = result_of("scope")
    with pytest.raises(TypeError, match=r"results cannot be changed; to_proto\(\) returns a message that can"):
        change(row)
    message = row.to_proto()
    message.MergeFrom(row.to_proto())
    assert len(message.children) == 4


def test_unknown_figures_are_absent_from_messages() -> None:
    log = op_log(entry("b/c", float_ops=3))
    root = profiler.profile(MODEL, op_log=log, options=OPTIONS, rules="none", semantics="corrected")
    again = pickle.loads(pickle.dumps(root))
    assert (again.total_float_ops, again.at_least("total_float_ops")) == (None, 3)
    assert "total_float_ops" not in {field.name for field, _ in again.ListFields()}
    assert "totalFloatOps" not in json_format.MessageToDict(again)


class Recorder(pickle.Unpickler):
    """Notes which functions and classes a pickle refers to."""

    def __init__(self, data: bytes) -> None:
        super().__init__(io.BytesIO(data))
        self.found: set[tuple[str, str]] = set()

    def find_class(self, module: str, name: str) -> Any:
        self.found.add((module, name))
        return super().find_class(module, name)


def test_advice_can_be_copied_and_pickled() -> None:
    advice = profiler.advise(MODEL, STEP)
    checker = advice.checkers["OperationChecker"]
    for message in (advice, checker, result_of("scope").to_proto().children[1].children[0].input_shapes[0]):
        reader = Recorder(pickle.dumps(message))
        assert copy.copy(message) == copy.deepcopy(message) == reader.load() == message
        assert reader.found == {("tfprof_report.profiler.handed_over", "parse_message")}  # importable anywhere


@pytest.mark.thorough
def test_a_chain_far_deeper_than_protobuf_allows_comes_back_whole() -> None:
    count = 2_000
    chain = graph(*(node(f"n{at:06}", "A", *([f"n{at - 1:06}"] if at else [])) for at in range(count)))
    started = time.monotonic()
    root = profiler.profile(chain, cmd="graph", options=OPTIONS)
    data = root.SerializeToString()
    assert time.monotonic() - started < 20
    assert (len(data) > 20 * count, root.total_definition_count) == (True, count)
    deepest = root.to_pandas()["depth"].max()
    assert deepest == count + 1
    assert str(root) == repr(root)
    again = pickle.loads(pickle.dumps(root.children[0]))
    assert (again == root.children[0], again == root) == (True, False)
