from __future__ import annotations

import dataclasses
import json
import math
from typing import Any

import pytest
from messages import decoded, entry, graph, inputs_of, node, op_log
from repository import DATA

from tfprof_report.ingest.graph_def import RULE_ATTRS, read_graph
from tfprof_report.ingest.sniff import Kind
from tfprof_report.model.build_table import build_node_table
from tfprof_report.model.flops.evaluate import FloatOps, Reason, count_float_ops
from tfprof_report.model.flops.node_flops import use_rules
from tfprof_report.model.flops.rule_sets import rule_set
from tfprof_report.model.flops.tensorflow_registry import REGISTERED_OPS, rules_of
from tfprof_report.model.graph.edges import read_edges
from tfprof_report.model.node_table import NodeTable
from tfprof_report.semantics import CORRECTED, TFPROF, Semantics

SAMPLES = json.loads((DATA / "flops" / "tensorflow_2_21.json").read_text())
"""Figures that TensorFlow 2.21 gave for random nodes: shapes of two tensors and of the output, inputs, attributes.

Inputs ``a`` and ``b`` are the tensors, ``d`` is a node with both of them as outputs, in reverse order.
"""


def counted(*nodes: Any, semantics: Semantics = TFPROF) -> FloatOps:
    table = read_graph(decoded(graph(*nodes), Kind.GRAPH)).nodes
    return count_float_ops(
        ops=table["op"].combine_chunks().cast("string"),
        edges=read_edges(table["inputs"].combine_chunks(), table["name"].combine_chunks()),
        output_shapes=table["output_shapes"].combine_chunks(),
        attrs={name: table[name].combine_chunks() for name in RULE_ATTRS},
        semantics=semantics,
        rules=rule_set("tfprof", semantics),
    )


def with_attrs(made: Any, attrs: dict[str, Any]) -> Any:
    for name, value in attrs.items():
        if isinstance(value, bool):
            made.attr[name].b = value
        elif isinstance(value, str):
            made.attr[name].s = value.encode()
        else:
            made.attr[name].list.i.extend(value)
    return made


def tensor(name: str, *shapes: list[int] | None) -> Any:
    return node(name, "Placeholder", output_shapes=shapes)


def layer(
    op: str, *inputs: list[int] | None, out: list[int] | None = None, semantics: Semantics = TFPROF, **attrs: Any
) -> tuple[int | None, list[Reason]]:
    """Return the figure of a node with inputs of these shapes, and why it has none."""
    sources = [tensor(f"x{number}", shape) for number, shape in enumerate(inputs)]
    made = with_attrs(node("n", op, *(each.name for each in sources), output_shapes=[out]), attrs)
    result = counted(*sources, made, semantics=semantics)
    return result.values[-1].as_py(), [reason for reason, mask in result.missing.items() if mask[-1]]


def test_figures_are_those_of_tensorflow() -> None:
    def shape(sizes: list[int | None] | None) -> list[int] | None:
        return None if sizes is None else [-1 if size is None else size for size in sizes]

    nodes = []
    for number, sample in enumerate(SAMPLES):
        a, b = shape(sample["a"]), shape(sample["b"])
        nodes += [tensor(f"a{number}", a), tensor(f"b{number}", b), tensor(f"d{number}", b, a)]
        inputs = [text.replace(name, f"{name}{number}") for text in sample["inputs"] for name in "abd" if name in text]
        made = node(f"n{number}", sample["op"], *inputs, output_shapes=[shape(sample["out"])])
        nodes.append(with_attrs(made, sample["attrs"]))
    assert counted(*nodes).values.to_pylist()[3::4] == [sample["flops"] for sample in SAMPLES]


def test_every_registered_op_type_has_samples_and_one_rule() -> None:
    assert {sample["op"] for sample in SAMPLES} == set(REGISTERED_OPS)
    assert len(REGISTERED_OPS) == 46
    for semantics in (TFPROF, CORRECTED):
        ops = [op for rule in rules_of(semantics) for op in rule.ops]
        assert sorted(ops) == sorted(set(ops)) == list(REGISTERED_OPS)


@pytest.mark.parametrize(
    ("op", "inputs", "out", "attrs", "float_ops"),
    [
        ("Conv2D", [[2, 6, 6, 3], [2, 3, 3, 4]], [2, 3, 2, 4], {"strides": [1, 2, 3, 1]}, 1728),
        ("Conv2D", [[2, 6, 6, 6], [2, 3, 3, 4]], [2, 3, 2, 4], {"strides": [1, 2, 3, 1]}, 1728),
        ("DepthwiseConv2dNative", [[2, 6, 6, 3], [2, 3, 3, 2]], [2, 3, 3, 6], {}, 1296),
        ("BatchMatMulV3", [[4, 1, 3, 5], [2, 5, 7]], [4, 2, 3, 7], {}, 1680),
        ("L2Loss", [[]], [], {}, 2),
        ("L2Loss", [[0]], [], {}, -1),
        ("Mean", [[0, 3]], [3], {}, 0),
    ],
)
def test_worked_samples(
    op: str, inputs: list[list[int]], out: list[int], attrs: dict[str, Any], float_ops: int
) -> None:
    assert layer(op, *inputs, out=out, **attrs) == (float_ops, [])


def test_a_reason_stands_where_there_is_no_figure() -> None:
    assert layer("MatMul", [-1, 3], [3, 4], out=[-1, 4]) == (None, [Reason.SHAPE])
    assert layer("MatMul", None, [3, 4], out=[2, 4]) == (None, [Reason.SHAPE])
    assert layer("MaxPool", [1, 4, 4, 1], out=[1, 2, 2, 1], ksize=[1, 2, 2, 1], data_format="NDHWC") == (
        None,
        [Reason.LAYOUT],
    )
    assert layer("Square", [2**32, 2**31]) == (None, [Reason.OVERFLOW])
    assert layer("Relu", [2, 3], out=[2, 3]) == (None, [])


def test_a_quotient_of_a_huge_layer_is_rounded_as_by_tensorflow() -> None:
    sizes, kernel = [64, 513, 511, 61], [3, 3, 61, 102100]
    numerator = 2 * 64 * 513 * 511 * 61 * 3 * 3 * 61 * 102100
    strides = {"strides": [1, 7, 3, 1], "data_format": "NHWC"}
    expected = int(numerator / (61 * 7 * 3))
    assert numerator > 2**53
    assert layer("Conv2DBackpropInput", [4], kernel, out=sizes, **strides) == (expected, [])


def test_a_gradient_without_channels_has_no_float_ops_instead_of_a_division_by_zero() -> None:
    strides = {"strides": [1, 1, 1, 1], "data_format": "NHWC"}
    assert layer("Conv2DBackpropInput", [4], [3, 3, 0, 8], out=[1, 5, 5, 0], **strides) == (0, [])


FLIPS: dict[str, tuple[dict[str, Any], int | None, int | None]] = {
    "batch_matmul_ignores_adj_x": (
        {"op": "BatchMatMulV2", "of": [[5, 3], [5, 7]], "out": [3, 7], "adj_x": True},
        210,
        126,
    ),
    "refuse_channels_first": (
        {"op": "MaxPool", "of": [[1, 3, 6, 6]], "out": [1, 3, 3, 3], "ksize": [1, 1, 2, 2], "data_format": "NCHW"},
        108,
        None,
    ),
    "gradients_divide_by_strides": (  # 7 x 7 in strides of 2 has 4 x 4 places, not 3.5 x 3.5
        {
            "op": "Conv2DBackpropInput",
            "of": [[4], [3, 3, 3, 8], [1, 4, 4, 8]],
            "out": [1, 7, 7, 3],
            "strides": [1, 2, 2, 1],
            "data_format": "NHWC",
        },
        2 * (4 * 4 * 8) * (3 * 3 * 3),
        int(2 * (7 * 7) * (3 * 3 * 3 * 8) / 4),
    ),
    "l2_loss_of_nothing_is_negative": ({"op": "L2Loss", "of": [[0]], "out": []}, 0, -1),
}


@pytest.mark.parametrize("switch", FLIPS)
def test_each_switch_alone_decides(switch: str) -> None:
    asked, corrected, native = FLIPS[switch]
    attrs = {name: value for name, value in asked.items() if name not in ("op", "of", "out")}

    def figure(semantics: Semantics) -> int | None:
        return layer(asked["op"], *asked["of"], out=asked["out"], semantics=semantics, **attrs)[0]

    for preset in (CORRECTED, TFPROF):
        assert figure(dataclasses.replace(preset, **{switch: False})) == corrected
        assert figure(dataclasses.replace(preset, **{switch: True})) == native


def test_control_inputs_are_summands_under_tfprof_only() -> None:
    nodes = tensor("x", [10]), tensor("y", [10]), node("n", "AddN", "x", "y", "^x", output_shapes=[[10]])
    assert counted(*nodes).values[-1].as_py() == 20
    assert counted(*nodes, semantics=CORRECTED).values[-1].as_py() == 10


# Per case the strides, then along height and width: the image, the places of the filter, the filter.
STRIDED = {
    "same, even": ((2, 2), (8, 8), (4, 4), (3, 3)),
    "same, rounded up": ((2, 2), (7, 7), (4, 4), (3, 3)),
    "same, both differ": ((2, 3), (5, 5), (3, 2), (2, 3)),
    "valid": ((3, 3), (10, 10), (3, 3), (3, 3)),
    "filter below the stride": ((3, 3), (10, 10), (4, 4), (1, 1)),
}


@pytest.mark.parametrize("case", STRIDED)
@pytest.mark.parametrize("layout", ["NHWC", "NCHW", None])
def test_a_gradient_of_a_strided_convolution_counts_as_much_as_the_convolution(case: str, layout: str | None) -> None:
    strides, image, places, taps = STRIDED[case]

    def of(sizes: tuple[int, ...], channels: int) -> list[int]:
        return [1, channels, *sizes] if layout == "NCHW" else [1, *sizes, channels]

    x, w, y = of(image, 3), [*taps, 3, 8], of(places, 8)
    attrs = {"strides": [1, *strides, 1] if layout != "NCHW" else [1, 1, *strides]}
    attrs |= {} if layout is None else {"data_format": layout}
    forward = 2 * math.prod(places) * 8 * math.prod(taps) * 3
    assert layer("Conv2D", x, w, out=y, semantics=CORRECTED, **attrs) == (forward, [])
    assert layer("Conv2DBackpropInput", [4], w, y, out=x, semantics=CORRECTED, **attrs) == (forward, [])
    assert layer("Conv2DBackpropFilter", x, [4], y, out=w, semantics=CORRECTED, **attrs) == (forward, [])


def test_a_gradient_of_a_convolution_without_incoming_gradient_is_unknown_when_corrected() -> None:
    strides = {"strides": [1, 2, 2, 1]}
    missing = layer("Conv2DBackpropInput", [4], [3, 3, 3, 8], None, out=[1, 7, 7, 3], semantics=CORRECTED, **strides)
    assert missing == (None, [Reason.SHAPE])


LOGGED = graph(
    tensor("x", [2, 3]),
    node("m", "MatMul", "x", "x", output_shapes=[[2, 2]]),
    node("s", "Square", "x", output_shapes=[[2, 3]]),
    node("r", "Relu", "x", output_shapes=[[2, 3]]),
    node("u", "Square", "m:7"),
)


def table_with(rules: str, log: Any = None) -> NodeTable:
    return build_node_table(inputs_of(LOGGED, [], log), use_rules(rules, TFPROF))


def test_the_op_log_wins_and_the_source_of_each_figure_is_told() -> None:
    nodes = table_with("tfprof", op_log(entry("m", float_ops=5), entry("r", float_ops=7))).nodes
    assert nodes["float_ops"].tolist()[1:4] == [5, 6, 7]
    assert nodes["float_ops_source"].tolist()[1:4] == ["op_log", "tfprof_rules", "op_log"]
    assert nodes["float_ops_source"].isna().tolist() == [True, False, False, False, True]
    assert table_with("none").nodes["float_ops"].isna().all()


def test_what_was_skipped_is_counted_and_named() -> None:
    table = table_with("tfprof")
    assert table.without_figure == 1
    (skipped,) = (each for each in table.diagnostics if each.code == "float_ops_shape")
    assert (skipped.count, skipped.examples) == (1, ("u",))
    assert skipped.text == "nodes have no FLOPs, though there is a rule: a shape is not fully known"


def test_an_entry_of_the_op_log_takes_over_positive_figures_only() -> None:
    empty = graph(tensor("x", [0]), node("l", "L2Loss", "x", output_shapes=[[]]))
    rules = use_rules("tfprof", TFPROF)
    assert build_node_table(inputs_of(empty), rules).nodes["float_ops"].tolist()[1] == -1
    assert build_node_table(inputs_of(empty, [], op_log(entry("l"))), rules).nodes["float_ops"].isna().all()
