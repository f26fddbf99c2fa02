"""The extended rules against numbers by hand, and the table as a whole."""

from __future__ import annotations

from typing import Any

import pytest
from messages import decoded, graph, node

from tfprof_report.ingest.graph import RULE_ATTRS, read_graph
from tfprof_report.ingest.sniff import Kind
from tfprof_report.model.extended_rules import rule_set
from tfprof_report.model.float_ops import count_float_ops
from tfprof_report.model.registry import REGISTERED_OPS
from tfprof_report.model.shapes import read_edges
from tfprof_report.semantics import CORRECTED


def figures(op: str, *inputs: list[int], out: list[int], **attrs: Any) -> tuple[int | None, int | None]:
    """Return FLOPs and multiply-adds of a node with inputs of these shapes."""
    sources = [node(f"x{number}", "Placeholder", output_shapes=[shape]) for number, shape in enumerate(inputs)]
    made = node("n", op, *(source.name for source in sources), output_shapes=[out])
    for name, value in attrs.items():
        if isinstance(value, bool):
            made.attr[name].b = value
        elif isinstance(value, str):
            made.attr[name].s = value.encode()
        else:
            made.attr[name].list.i.extend(value)
    table = read_graph(decoded(graph(*sources, made), Kind.GRAPH)).nodes
    counted = count_float_ops(
        ops=table["op"].combine_chunks().cast("string"),
        edges=read_edges(table["inputs"].combine_chunks(), table["name"].combine_chunks()),
        output_shapes=table["output_shapes"].combine_chunks(),
        attrs={name: table[name].combine_chunks() for name in RULE_ATTRS},
        semantics=CORRECTED,
        rules=rule_set("extended"),
    )
    return counted.values[-1].as_py(), counted.macs[-1].as_py()


@pytest.mark.parametrize(
    ("equation", "inputs", "out", "expected"),
    [
        ("ij,jk->ik", [[2, 3], [3, 5]], [2, 5], (60, 30)),
        ("...ij,...jk->...ik", [[7, 2, 3], [7, 3, 5]], [7, 2, 5], (420, 210)),
        ("...ij,jk->...ik", [[4, 7, 2, 3], [3, 5]], [4, 7, 2, 5], (1680, 840)),
        ("i,j->ij", [[2], [5]], [2, 5], (10, 0)),
        ("ij->i", [[2, 5]], [2], (10, 0)),
        ("ij->ji", [[2, 5]], [5, 2], (0, 0)),
        ("ij,jk->ik", [[2, 3, 4], [3, 5]], [2, 5], (None, None)),
        ("nonsense", [[2]], [2], (None, None)),
    ],
)
def test_einsum_is_the_product_of_its_labels(
    equation: str, inputs: list[list[int]], out: list[int], expected: tuple[int | None, int | None]
) -> None:
    assert figures("Einsum", *inputs, out=out, equation=equation) == expected


@pytest.mark.parametrize(
    ("op", "inputs", "out", "attrs", "expected"),
    [
        ("DepthwiseConv2dNativeBackpropInput", [[4], [3, 3, 2, 1], [1, 5, 5, 2]], [1, 5, 5, 2], {}, (900, 450)),
        ("DepthwiseConv2dNativeBackpropFilter", [[1, 5, 5, 2], [4], [1, 5, 5, 2]], [3, 3, 2, 1], {}, (900, 450)),
        ("Conv3DBackpropInputV2", [[5], [2, 2, 2, 3, 4], [1, 2, 2, 2, 4]], [1, 3, 3, 3, 3], {}, (1536, 768)),
        ("_FusedConv2D", [[1, 4, 4, 3], [3, 3, 3, 2], [2]], [1, 4, 4, 2], {}, (1760, 864)),
        ("_MklNativeFusedConv2D", [[1, 4, 4, 3], [3, 3, 3, 2], [2]], [1, 4, 4, 2], {}, (1760, 864)),
        ("_MklNativeConv2D", [[1, 4, 4, 3], [3, 3, 3, 2]], [1, 4, 4, 2], {}, (1728, 864)),
        ("_FusedMatMul", [[3, 2], [3, 5], [5]], [2, 5], {"transpose_a": True}, (70, 30)),
        ("SparseTensorDenseMatMul", [[6, 2], [6], [2], [4, 5]], [3, 5], {}, (60, 30)),
        ("LSTMBlockCell", [[2, 3], [2, 4], [2, 4], [7, 16]], [2, 4], {}, (552, 224)),
        ("FusedBatchNormV3", [[2, 3], [3]], [2, 3], {"is_training": False}, (30, 0)),
        ("FusedBatchNormV3", [[2, 3], [3]], [2, 3], {}, (54, 0)),
        ("LogSoftmax", [[2, 3]], [2, 3], {}, (30, 0)),
        ("ResourceApplyAdam", [*[[]] * 9, [4, 5]], [], {}, (240, 0)),
        ("MaxPool3D", [[1, 4, 4, 4, 1]], [1, 2, 2, 2, 1], {"ksize": [1, 2, 2, 2, 1]}, (64, 0)),
        ("Max", [[4, 5]], [4], {}, (16, 0)),
        ("Reshape", [[4, 5], [1]], [20], {}, (0, 0)),
        ("NobodyKnows", [[4, 5]], [20], {}, (None, None)),
    ],
)
def test_figures_are_those_by_hand(
    op: str, inputs: list[list[int]], out: list[int], attrs: dict[str, Any], expected: tuple[int | None, int | None]
) -> None:
    assert figures(op, *inputs, out=out, **attrs) == expected


@pytest.mark.parametrize(("mode", "biases"), [("lstm", 8), ("gru", 6), ("rnn_tanh", 2)])
def test_parameters_of_cudnn_say_what_an_rnn_takes(mode: str, biases: int) -> None:
    weights, extra = 1000, biases * 2 * 4  # two layers of four units
    found = figures("CudnnRNN", [5, 3, 6], [2, 3, 4], [2, 3, 4], [weights + extra], out=[5, 3, 4], rnn_mode=mode)
    assert found == (15 * (2 * weights + extra), 15 * weights)


def test_the_extended_rules_hold_the_registry_and_no_op_type_comes_twice() -> None:
    ops = [op for rule in rule_set("extended").rules for op in rule.ops]
    assert len(ops) == len(set(ops))
    assert set(REGISTERED_OPS) < set(ops)
    assert all(rule.text and rule.source for rule in rule_set("extended").rules)
