"""Shapes that follow from the inputs of each op type, counted by hand."""

from __future__ import annotations

from typing import Any

import pytest
from examples import examples
from graph_nodes import INT64, const, infer, last, op, shapes_of, tensor
from hypothesis import given, settings
from hypothesis import strategies as st

IMAGE, WEIGHTS = tensor("x", 2, 9, 9, 3), tensor("w", 3, 3, 3, 8)
CONV = {"strides": [1, 2, 2, 1], "padding": "SAME", "data_format": "NHWC"}

CASES: dict[str, tuple[list[Any], list[list[int] | None] | None]] = {
    "relu": ([tensor("x", 2, -1), op("y", "Relu", "x")], [[2, -1]]),
    "add": ([tensor("x", 2, 1, 4), tensor("b", 3, 1), op("y", "AddV2", "x", "b")], [[2, 3, 4]]),
    "add, a size is open": ([tensor("x", -1, 4), tensor("b", 1, 4), op("y", "Mul", "x", "b")], [[-1, 4]]),
    "add, open beside larger": ([tensor("x", -1, 4), tensor("b", 5, 4), op("y", "Mul", "x", "b")], [[5, 4]]),
    "add of what does not fit": ([tensor("x", 3), tensor("b", 2), op("y", "Add", "x", "b")], None),
    "add_n": ([tensor("x", -1, 4), tensor("b", 5, -1), op("y", "AddN", "x", "b", N=2)], [[5, 4]]),
    "select_v2": (
        [tensor("c", 3), tensor("x", 2, 1), tensor("b", 1), op("y", "SelectV2", "c", "x", "b")],
        [[2, 3]],
    ),
    "matmul": ([tensor("x", 4, 5), tensor("w", 7, 5), op("y", "MatMul", "x", "w", transpose_b=True)], [[4, 7]]),
    "batch_matmul": (
        [tensor("x", 6, 1, 5, 4), tensor("w", 3, 5, 7), op("y", "BatchMatMulV2", "x", "w", adj_x=True)],
        [[6, 3, 4, 7]],
    ),
    "einsum": (
        [tensor("x", 2, 3, 4), tensor("w", 4, 5), op("y", "Einsum", "x", "w", equation="bij,jk->bki")],
        [[2, 5, 3]],
    ),
    "einsum, broadcasting what its ellipses stand for": (
        [tensor("x", 2, 3, 4, 5), tensor("w", 1, 3, 5, 6), op("y", "Einsum", "x", "w", equation="...ij,...jk->...ik")],
        [[2, 3, 4, 6]],
    ),
    "einsum, an ellipsis in the middle": (
        [tensor("x", 4, 2, 7), tensor("w", 7, 5), op("y", "Einsum", "x", "w", equation="i...j,jk->ki...")],
        [[5, 4, 2]],
    ),
    "einsum, an open batch in its ellipsis": (
        [tensor("x", -1, 4, 5), tensor("w", 5, 6), op("y", "Einsum", "x", "w", equation="...ij,jk->...ik")],
        [[-1, 4, 6]],
    ),
    "einsum, more labels than axes that are inferred": (
        [tensor("x", 2), op("y", "Einsum", "x", equation="i->iabcdefgh")],
        None,
    ),
    "einsum, more labels beside an ellipsis than axes that are inferred": (
        [tensor("x", 2, 3), op("y", "Einsum", "x", equation="...i->...iabcdefgh")],
        None,
    ),
    "einsum, as many labels as axes": (
        [tensor("x", 2), op("y", "Einsum", "x", equation="i->iiiiiiii")],
        [[2] * 8],
    ),
    "a default says nothing of a placeholder": (
        [tensor("x", 1, 8), op("y", "PlaceholderWithDefault", "x", shape=[-1, 8])],
        [[-1, 8]],
    ),
    "what is ensured of a shape": ([tensor("x", -1, 8), op("y", "EnsureShape", "x", shape=[3, -1])], [[3, 8]]),
    "components of a queue": (
        [
            op("q", "FIFOQueueV2", shapes=[[6, 8], []]),
            op("d", "QueueDequeueV2", "q"),
            op("y", "Pack", "d:1", "d:1", N=2),
        ],
        [[2]],
    ),
    "components of a queue, several": (
        [
            op("q", "FIFOQueueV2", shapes=[[8]]),
            const("n", 5),
            op("d", "QueueDequeueManyV2", "q", "n"),
            op("y", "Neg", "d"),
        ],
        [[5, 8]],
    ),
    "cell of an LSTM": (
        [tensor("x", 4, 6), tensor("c", 4, 8), op("y", "LSTMBlockCell", "x", "c")],
        [[4, 8]] * 7,
    ),
    "rows that indices stitch together": (
        [
            *(const("i", [0, 2]), const("j", [1, 3, 4]), tensor("a", 2, 8), tensor("b", 3, -1)),
            op("y", "DynamicStitch", "i", "j", "a", "b", N=2),
        ],
        [[5, 8]],
    ),
    "diagonals of a matrix": (
        [tensor("x", 7, 3, 5), const("k", [-1, 1]), op("y", "MatrixDiagPartV3", "x", "k")],
        [[7, 3, 3]],
    ),
    "a sparse matrix times one": (
        [
            *(tensor("i", 9, 2), tensor("v", 9), const("s", [4, 5], dtype=INT64), tensor("b", 5, 6)),
            op("y", "SparseTensorDenseMatMul", "i", "v", "s", "b"),
        ],
        [[4, 6]],
    ),
    "half a spectrum": ([tensor("x", 4, 16), const("n", [16]), op("y", "RFFT", "x", "n")], [[4, 9]]),
    "qr": ([tensor("x", 5, 7, 4), op("y", "Qr", "x")], [[5, 7, 4], [5, 4, 4]]),
    "qr of a wide matrix": ([tensor("x", 4, 7), op("y", "Qr", "x")], [[4, 4], [4, 7]]),
    "qr, full": ([tensor("x", 7, 4), op("y", "Qr", "x", full_matrices=True)], [[7, 7], [7, 4]]),
    "qr of a vector": ([tensor("x", 7), op("y", "Qr", "x")], None),
    "qr of what is open": ([tensor("x", 7, -1), op("y", "Qr", "x")], [[7, -1], [-1, -1]]),
    "conv same": ([IMAGE, WEIGHTS, op("y", "Conv2D", "x", "w", **CONV)], [[2, 5, 5, 8]]),
    "conv valid": ([IMAGE, WEIGHTS, op("y", "Conv2D", "x", "w", **CONV | {"padding": "VALID"})], [[2, 4, 4, 8]]),
    "conv dilated": (
        [
            IMAGE,
            WEIGHTS,
            op("y", "Conv2D", "x", "w", strides=[1, 1, 1, 1], padding="VALID", dilations=[1, 3, 2, 1]),
        ],
        [[2, 3, 5, 8]],
    ),
    "conv explicit": (
        [
            IMAGE,
            WEIGHTS,
            op(
                "y", "Conv2D", "x", "w", **CONV | {"padding": "EXPLICIT", "explicit_paddings": [0, 0, 1, 2, 0, 0, 0, 0]}
            ),
        ],
        [[2, 5, 4, 8]],
    ),
    "conv nchw": (
        [
            tensor("x", 2, 3, 9, 9),
            WEIGHTS,
            op("y", "Conv2D", "x", "w", strides=[1, 1, 2, 3], padding="SAME", data_format="NCHW"),
        ],
        [[2, 8, 5, 3]],
    ),
    "conv of a format that is not known": (
        [IMAGE, WEIGHTS, op("y", "Conv2D", "x", "w", **CONV | {"data_format": "HWNC"})],
        None,
    ),
    "depthwise": ([IMAGE, tensor("w", 3, 3, 3, 2), op("y", "DepthwiseConv2dNative", "x", "w", **CONV)], [[2, 5, 5, 6]]),
    "conv as oneDNN has it": (
        [IMAGE, WEIGHTS, op("y", "_MklNativeFusedConv2D", "x", "w", **CONV)],
        [[2, 5, 5, 8]],
    ),
    "conv3d": (
        [
            tensor("x", 1, 8, 8, 8, 2),
            tensor("w", 2, 2, 2, 2, 4),
            op("y", "Conv3D", "x", "w", strides=[1, 2, 2, 2, 1], padding="VALID", data_format="NDHWC"),
        ],
        [[1, 4, 4, 4, 4]],
    ),
    "conv backprop": (
        [const("s", [2, 9, 9, 3]), WEIGHTS, op("y", "Conv2DBackpropInput", "s", "w", "g")],
        [[2, 9, 9, 3]],
    ),
    "max pool": (
        [IMAGE, op("y", "MaxPool", "x", ksize=[1, 3, 2, 1], strides=[1, 2, 2, 1], padding="VALID")],
        [[2, 4, 4, 3]],
    ),
    "pool over channels": (
        [IMAGE, op("y", "MaxPool", "x", ksize=[1, 1, 1, 3], strides=[1, 1, 1, 3], padding="VALID")],
        None,
    ),
    "batch norm": (
        [IMAGE, op("y", "FusedBatchNormV3", "x", "s", "o", "m", "v", data_format="NHWC")],
        [[2, 9, 9, 3], [3], [3], [3], [3], None],
    ),
    "bias grad nchw": ([IMAGE, op("y", "BiasAddGrad", "x", data_format="NCHW")], [[9]]),
    "reshape": ([tensor("x", 2, 3, 4), const("s", [-1, 6]), op("y", "Reshape", "x", "s")], [[4, 6]]),
    "reshape of what is open": (
        [tensor("x", -1, 3, 4), const("s", [-1, 12]), op("y", "Reshape", "x", "s")],
        [[-1, 12]],
    ),
    "shape": ([tensor("x", 2, -1), op("y", "Shape", "x")], [[2]]),
    "slice": (
        [tensor("x", 5, 6), const("b", [1, 2]), const("n", [-1, 3]), op("y", "Slice", "x", "b", "n")],
        [[4, 3]],
    ),
    "strided slice, x[1:4:2, ..., newaxis, 6::-3]": (
        [
            tensor("x", 5, 6, 7, 8),
            const("b", [1, 0, -1, 6]),
            const("e", [4, 0, 0, 0]),
            const("s", [2, 1, 1, -3]),
            op("y", "StridedSlice", "x", "b", "e", "s", ellipsis_mask=2, new_axis_mask=4, end_mask=8),
        ],
        [[2, 6, 7, 1, 3]],
    ),
    "strided slice, one index": (
        [
            tensor("x", 5, 6),
            const("b", [0, 3]),
            const("e", [0, 4]),
            const("s", [1, 1]),
            op("y", "StridedSlice", "x", "b", "e", "s", begin_mask=1, end_mask=1, shrink_axis_mask=2),
        ],
        [[5]],
    ),
    "concat_v2": (
        [tensor("x", 2, 3), tensor("z", -1, 4), const("a", -1), op("y", "ConcatV2", "x", "z", "a", N=2)],
        [[2, 7]],
    ),
    "pack": ([tensor("x", 2, 3), tensor("z", 2, -1), op("y", "Pack", "x", "z", N=2, axis=1)], [[2, 2, 3]]),
    "unpack": ([tensor("x", 2, 3), op("y", "Unpack", "x", num=2)], [[3], [3]]),
    "split": ([const("a", 1), tensor("x", 2, 6), op("y", "Split", "a", "x", num_split=3)], [[2, 2], [2, 2], [2, 2]]),
    "split_v": (
        [tensor("x", 7, 2), const("n", [2, -1]), const("a", 0), op("y", "SplitV", "x", "n", "a", num_split=2)],
        [[2, 2], [5, 2]],
    ),
    "transpose": ([tensor("x", 2, 3, 4), const("p", [2, 0, 1]), op("y", "Transpose", "x", "p")], [[4, 2, 3]]),
    "pad": ([tensor("x", 2, -1), const("p", [[1, 2], [0, 3]]), op("y", "Pad", "x", "p")], [[5, -1]]),
    "expand_dims": ([tensor("x", 2, 3), const("a", -1), op("y", "ExpandDims", "x", "a")], [[2, 3, 1]]),
    "squeeze": ([tensor("x", 1, 3, 1), op("y", "Squeeze", "x")], [[3]]),
    "squeeze an axis": ([tensor("x", 1, -1, 1), op("y", "Squeeze", "x", squeeze_dims=[-1])], [[1, -1]]),
    "squeeze of what may be 1": ([tensor("x", 1, -1), op("y", "Squeeze", "x")], None),
    "tile": ([tensor("x", 2, 3), const("n", [2, 4]), op("y", "Tile", "x", "n")], [[4, 12]]),
    "gather": ([tensor("x", 9, 4), tensor("i", 2, 5), op("y", "Gather", "x", "i")], [[2, 5, 4]]),
    "gather_v2": (
        [tensor("x", 2, 9, 4), tensor("i", 2, 5), const("a", 1), op("y", "GatherV2", "x", "i", "a", batch_dims=1)],
        [[2, 5, 4]],
    ),
    "mean": ([tensor("x", 2, 3, 4), const("a", [0, -1]), op("y", "Mean", "x", "a")], [[3]]),
    "mean, kept": ([tensor("x", 2, 3, 4), const("a", 1), op("y", "Mean", "x", "a", keep_dims=True)], [[2, 1, 4]]),
    "argmax": ([tensor("x", 2, 3), const("a", 1), op("y", "ArgMax", "x", "a")], [[2]]),
    "fill": ([const("s", [3, 2], dtype=INT64), const("v", 0), op("y", "Fill", "s", "v")], [[3, 2]]),
    "range": ([const("a", 1), const("b", 8), const("s", 3), op("y", "Range", "a", "b", "s")], [[3]]),
    "one_hot": ([tensor("x", 2, 3), const("n", 7), op("y", "OneHot", "x", "n", "u", "v", axis=-1)], [[2, 3, 7]]),
    "resize": ([IMAGE, const("n", [4, 5]), op("y", "ResizeBilinear", "x", "n")], [[2, 4, 5, 3]]),
    "space to batch": (
        [
            tensor("x", 2, 7, 8, 3),
            const("b", [2, 3]),
            const("p", [[0, 1], [2, 2]]),
            op("y", "SpaceToBatchND", "x", "b", "p"),
        ],
        [[12, 4, 4, 3]],
    ),
    "batch to space": (
        [
            tensor("x", 12, 4, 4, 3),
            const("b", [2, 3]),
            const("c", [[0, 1], [2, 2]]),
            op("y", "BatchToSpaceND", "x", "b", "c"),
        ],
        [[2, 7, 8, 3]],
    ),
    "space to batch of an open size": (
        [tensor("x", 2, -1, 3), const("b", [2]), const("p", [[0, 0]]), op("y", "SpaceToBatchND", "x", "b", "p")],
        [[4, -1, 3]],
    ),
    "cropped by more than there is": (
        [tensor("x", 2, 4, 3), const("b", [2]), const("c", [[5, 5]]), op("y", "BatchToSpaceND", "x", "b", "c")],
        [[1, -1, 3]],
    ),
    "space to batch by open blocks": ([tensor("x", 2, 4, 3), op("y", "SpaceToBatchND", "x", "b", "p")], [[-1, -1, -1]]),
    "space to depth": ([tensor("x", 1, 4, 6, 3), op("y", "SpaceToDepth", "x", block_size=2)], [[1, 2, 3, 12]]),
    "depth to space": ([tensor("x", 1, 2, 3, 12), op("y", "DepthToSpace", "x", block_size=2)], [[1, 4, 6, 3]]),
    "cross entropy": (
        [tensor("x", 8, 10), op("y", "SparseSoftmaxCrossEntropyWithLogits", "x", "labels")],
        [[8], [8, 10]],
    ),
    "filled to sizes that were unpacked": (
        [
            tensor("x", 2, 3, 4),
            op("s", "Shape", "x"),
            op("u", "Unpack", "s", num=3),
            op("p", "Pack", "u:2", "u", N=2),
            op("y", "Fill", "p", "z"),
        ],
        [[4, 2]],
    ),
    "filled to a part of a vector": (
        [const("v", [5, 6, 7, 8]), const("a", 0), op("s", "Split", "a", "v", num_split=2), op("y", "Fill", "s:1", "z")],
        [[7, 8]],
    ),
    "an element of a list": ([const("s", [2, -1]), op("y", "TensorListGetItem", "list", "at", "s")], [[2, -1]]),
    "an element of a list that was a tensor": (
        [
            tensor("x", 7, 5, 3),
            const("s", [-1, 3]),
            op("list", "TensorListFromTensor", "x", "s"),
            op("handed", "Identity", "list"),
            op("y", "TensorListGetItem", "handed", "at", "s"),
        ],
        [[5, 3]],
    ),
    "elements of a list, stacked": (
        [const("s", [2, 3]), op("y", "TensorListStack", "list", "s", num_elements=7)],
        [[7, 2, 3]],
    ),
    "elements of a list of open length": ([const("s", [2]), op("y", "TensorListStack", "list", "s")], [[-1, 2]]),
    "an op that is not known": ([tensor("x", 2), op("y", "MyOp", "x")], None),
    "the second output": (
        [const("a", 0), tensor("x", 4, 6), op("s", "Split", "a", "x", num_split=2), op("y", "Neg", "s:1")],
        [[2, 6]],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_an_op_gives_the_shape_that_follows_from_its_inputs(name: str) -> None:
    nodes, wanted = CASES[name]
    assert last(*nodes) == wanted


@pytest.mark.parametrize("packed", [True, False])
def test_a_shape_that_is_calculated_in_the_graph_is_folded(*, packed: bool) -> None:
    """``tf.reshape(x, [tf.shape(x)[0], 3 * 4])`` for an unknown batch size, and for a known one."""
    for batch, wanted in ((-1, [-1, 12]), (5, [5, 12])):
        nodes = [
            tensor("x", batch, 3, 4),
            op("shape", "Shape", "x"),
            *(const(name, [value], packed=packed) for name, value in (("zero", 0), ("one", 1))),
            op("batch", "StridedSlice", "shape", "zero", "one", "one", shrink_axis_mask=1),
            *(const(name, value, packed=packed) for name, value in (("three", 3), ("four", 4))),
            op("rest", "Mul", "three", "four"),
            op("wanted", "Pack", "batch", "rest", N=2),
            op("y", "Reshape", "x", "wanted"),
        ]
        assert last(*nodes) == [wanted]


@pytest.mark.parametrize(("kind", "wanted"), [("Max", 7), ("Min", 3), ("Sum", 15), ("Prod", 105)])
def test_sizes_are_folded_along_an_axis_and_along_none(kind: str, wanted: int) -> None:
    """Keras takes the maximum over no axes of a scalar, the number of steps."""
    sizes = [const("s", [3, 7, 5]), const("a", [0]), op("n", kind, "s", "a"), const("one", 1)]
    assert last(*sizes, op("p", "Pack", "n", "one", N=2), op("y", "Fill", "p", "a")) == [[wanted, 1]]
    none = [const("n0", 20), const("a", 0), op("rank", "Rank", "n0"), const("one", 1)]
    none += [op("axes", "Range", "a", "rank", "one"), op("n", kind, "n0", "axes")]
    assert last(*none, op("p", "Pack", "n", "one", N=2), op("y", "Fill", "p", "a")) == [[20, 1]]


def test_values_that_a_loop_may_depend_on_are_told_even_where_all_shapes_are_given() -> None:
    nodes = [
        op("x", "Placeholder", output_shapes=[[20, 3]]),
        op("shape", "Shape", "x", output_shapes=[[2]]),
        op("y", "Neg", "x", output_shapes=[[20, 3]]),
    ]
    assert infer(*nodes).values.to_pylist() == [None, None, None]
    looped = infer(*nodes, op("loop", "While", "shape", output_shapes=[[2]])).values.to_pylist()
    assert looped == [None, [20, 3], None, None]


def test_a_variable_is_read_through_what_hands_its_handle_on() -> None:
    found = shapes_of(
        op("v", "VarHandleOp", shape=[3, 4]),
        op("enter", "Enter", "v"),
        op("read", "ReadVariableOp", "enter"),
        op("other", "ReadVariableOp", "read"),
    )
    assert (found["v"], found["read"], found["other"]) == ([[]], [[3, 4]], None)


def loop(body: str, **attrs: Any) -> list[Any]:
    """Return a V1 loop from x through a node `body` back to its start."""
    return [
        tensor("x", 4, 8),
        op("enter", "Enter", "x"),
        op("merge", "Merge", "enter", "next"),
        op("switch", "Switch", "merge", "condition"),
        const("axis", 0),
        op("body", body, "switch:1", "x", "axis", **attrs),
        op("next", "NextIteration", "body"),
        op("exit", "Exit", "switch"),
    ]


def test_a_loop_keeps_only_the_sizes_that_a_turn_does_not_change() -> None:
    kept = shapes_of(*loop("Tanh"))
    grown = shapes_of(*loop("ConcatV2", N=2))
    assert (kept["exit"], kept["next"]) == ([[4, 8]], [[4, 8]])
    assert (grown["merge"], grown["exit"], grown["next"]) == ([[-1, 8], []], [[-1, 8]], [[-1, 8]])


def test_a_loop_through_an_op_that_is_not_known_has_no_shape() -> None:
    found = shapes_of(*loop("MyOp"))
    assert (found["enter"], found["exit"]) == ([[4, 8]], None)


def test_branches_that_differ_leave_open_what_differs() -> None:
    found = shapes_of(tensor("a", 2, 3), tensor("b", 5, 3), op("y", "Merge", "a", "b"))
    assert found["y"] == [[-1, 3], []]


def test_nodes_that_wait_for_each_other_stay_open() -> None:
    assert shapes_of(op("a", "Neg", "b"), op("b", "Neg", "a")) == {"a": None, "b": None}


def test_given_shapes_stand_and_only_what_is_open_is_filled() -> None:
    nodes = [
        op("x", "Placeholder", output_shapes=[[7, 3]]),
        op("refined", "Relu", "x", output_shapes=[[-1, 3]]),
        op("unknown", "Relu", "x", output_shapes=[None]),
        op("contradicted", "Relu", "x", output_shapes=[[-1, 4]]),
        op("after", "Relu", "contradicted"),
    ]
    found = infer(*nodes)
    assert found.output_shapes.to_pylist() == [[[7, 3]], [[7, 3]], [[7, 3]], [[-1, 4]], [[-1, 4]]]
    assert found.is_inferred.tolist() == [False, True, True, False, True]
    assert found.conflicts.tolist() == [False, False, False, True, False]


def test_high_ranks_are_kept_as_they_are_given() -> None:
    sizes = list(range(1, 11))
    found = infer(op("x", "Placeholder", output_shapes=[sizes]), op("y", "Relu", "x"))
    assert found.output_shapes.to_pylist() == [[sizes], None]


def test_a_long_chain_needs_no_recursion() -> None:
    nodes = [tensor("n0", 3, -1), *(op(f"n{at}", "Relu", f"n{at - 1}") for at in range(1, 2000))]
    assert last(*nodes) == [[3, -1]]


@settings(max_examples=examples(60), deadline=None)
@given(
    sizes=st.tuples(st.integers(1, 40), st.integers(1, 7), st.integers(1, 4), st.integers(1, 3)),
    padding=st.sampled_from(["SAME", "VALID"]),
    kind=st.sampled_from(["Conv2D", "MaxPool"]),
)
def test_windows_are_as_many_as_one_can_place(sizes: tuple[int, int, int, int], padding: str, kind: str) -> None:
    size, kernel, stride, dilation = sizes
    dilation = dilation if kind == "Conv2D" else 1
    reach = (kernel - 1) * dilation + 1
    starts = range(0, size, stride) if padding == "SAME" else range(0, size - reach + 1, stride)
    attrs = {"strides": [1, stride, 1, 1], "padding": padding, "data_format": "NHWC"}
    if kind == "Conv2D":
        nodes = [tensor("w", kernel, 1, 3, 3), op("y", kind, "x", "w", dilations=[1, dilation, 1, 1], **attrs)]
    else:
        nodes = [op("y", kind, "x", ksize=[1, kernel, 1, 1], **attrs)]
    if reach <= size or padding == "SAME":
        assert last(tensor("x", 1, size, 2, 3), *nodes) == [[1, len(starts), 2, 3]]


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(st.integers(1, 6), min_size=1, max_size=5).flatmap(lambda sizes: st.tuples(st.just(sizes), st.data())))
def test_a_reshape_has_as_many_elements_as_its_input(drawn: tuple[list[int], st.DataObject]) -> None:
    sizes, data = drawn
    wanted = data.draw(st.permutations(sizes))
    hidden = data.draw(st.integers(0, len(wanted) - 1))
    written = [-1 if at == hidden else size for at, size in enumerate(wanted)]
    assert last(tensor("x", *sizes), const("s", written), op("y", "Reshape", "x", "s")) == [list(wanted)]
