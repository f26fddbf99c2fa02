"""FLOPs of single HLO instructions, by opcode: as the extended rules count the op of TensorFlow that does the same."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import (
    Bools,
    Floats,
    Ints,
    list_offsets,
    list_values,
    product_by_row,
    row_of_value,
    to_bools,
    to_ints,
)

AS_TENSORFLOW = {
    "add": "Add",
    "subtract": "Sub",
    "multiply": "Mul",
    "divide": "RealDiv",
    "maximum": "Maximum",
    "minimum": "Minimum",
    "power": "Pow",
    "remainder": "Mod",
    "atan2": "Atan2",
    "and": "LogicalAnd",
    "or": "LogicalOr",
    "xor": "BitwiseXor",
    "not": "LogicalNot",
    "abs": "Abs",
    "negate": "Neg",
    "sign": "Sign",
    "floor": "Floor",
    "ceil": "Ceil",
    "round-nearest-afz": "Round",
    "round-nearest-even": "Rint",
    "exponential": "Exp",
    "exponential-minus-one": "Expm1",
    "log": "Log",
    "log-plus-one": "Log1p",
    "tanh": "Tanh",
    "sqrt": "Sqrt",
    "rsqrt": "Rsqrt",
    "sine": "Sin",
    "cosine": "Cos",
    "tan": "Tan",
    "erf": "Erf",
    "logistic": "Sigmoid",
    "is-finite": "IsFinite",
    "clamp": "ClipByValue",
    "compare": "Equal",
    "shift-left": "LeftShift",
    "shift-right-logical": "RightShift",
    "shift-right-arithmetic": "RightShift",
}
"""Opcodes that compute each element of their result alone, and the op of TensorFlow that does the same."""

PER_ELEMENT = dict.fromkeys(AS_TENSORFLOW, 1) | {"rsqrt": 2, "clamp": 2}
"""FLOPs of each element of the result."""

_NOTHING = frozenset(
    [
        "parameter",
        "constant",
        "iota",
        "broadcast",
        "reshape",
        "bitcast",
        "bitcast-convert",
        "transpose",
        "copy",
        "copy-start",
        "copy-done",
        "convert",
        "select",
        "tuple",
        "get-tuple-element",
        "slice",
        "concatenate",
        "pad",
        "reverse",
        "gather",
        "dynamic-slice",
        "dynamic-update-slice",
        "after-all",
        "partition-id",
        "replica-id",
        "infeed",
        "outfeed",
        "send",
        "send-done",
        "recv",
        "recv-done",
        "opt-barrier",
        "optimization-barrier",
        "domain",
        "get-dimension-size",
        "set-dimension-size",
        "add-dependency",
        "while",
        "conditional",
        "real",
        "imag",
        "complex",
        "async-update",
        "async-done",
        "all-gather",
        "all-gather-start",
        "all-gather-done",
        "all-to-all",
        "collective-permute",
        "collective-permute-start",
        "collective-permute-done",
    ]
)
"""Opcodes without arithmetic of their own: a loop's and a branch's instructions are traced themselves."""


@np.errstate(over="ignore", invalid="ignore")  # absurd sizes: what is beyond int64 is unknown
def instruction_flops(
    rows: pa.StructArray, shape: pa.ListArray, *, first: Ints, second: Ints
) -> tuple[pa.Array, pa.Array]:
    """Return FLOPs and multiply-adds of each instruction by itself, int64; NULL unknown.

    Parameters
    ----------
    rows : messages ``HloInstruction``
    shape : sizes of their results, NULL for a tuple
    first, second : rows of their first and second operands, -1 for none

    A contraction has two FLOPs per multiply-add: the size of its result times the size of the contracted dimensions
    (dot), or of the kernel per output feature (convolution). A reduction has one per element that it takes in.
    """
    opcode = rows.field("opcode")
    size, is_shaped = _products(shape)
    taken, is_taken = _at(size, is_shaped, first)
    macs = np.zeros(len(rows))
    is_macs_known = ~to_bools(pc.equal(opcode, "custom-call"))
    is_dot, is_convolution = (to_bools(pc.equal(opcode, word)) for word in ("dot", "convolution"))
    contracted, is_contracted = _contracted(rows, shape, first)
    macs = np.where(is_dot, size * contracted, macs)
    kernel, is_kernel = _kernel(rows, shape, second)
    macs = np.where(is_convolution, size * kernel, macs)
    is_macs_known &= ~is_dot | (is_shaped & is_contracted)
    is_macs_known &= ~is_convolution | (is_shaped & is_kernel)

    codes = opcode.dictionary_encode()
    words = codes.dictionary.to_pylist()
    code = to_ints(codes.indices)
    times = np.array([PER_ELEMENT.get(word, 0) for word in words] or [0])[code]
    is_known = np.array([word in PER_ELEMENT or word in _NOTHING for word in words] or [False])[code]
    is_known &= (times == 0) | is_shaped
    flops = np.where(is_shaped, size, 0) * times
    is_reduce = to_bools(pc.equal(opcode, "reduce"))
    flops = np.where(is_reduce, np.where(is_shaped & is_taken, taken - size, 0), flops)
    is_known |= is_reduce & is_taken & is_shaped
    is_window = to_bools(pc.is_in(opcode, value_set=pa.array(["reduce-window", "select-and-scatter"])))
    flops = np.where(is_window, size * _window(rows), flops)
    is_known |= is_window & is_shaped
    contracts = (is_dot | is_convolution) & is_macs_known
    flops, is_known = np.where(contracts, 2 * macs, flops), is_known | contracts
    return _exact(flops, is_known), _exact(macs, is_macs_known)


def _exact(values: Floats, is_known: Bools) -> pa.Array:
    """Return figures as int64; those beyond 2**53, which float64 does not hold exactly, are unknown."""
    fits = is_known & (np.abs(values) < float(2**53))
    return pa.array(np.where(fits, values, 0).astype(np.int64), mask=~fits)


def _products(shape: pa.ListArray) -> tuple[Floats, Bools]:
    """Return the number of elements of each shape, and whether it is known."""
    offsets = list_offsets(shape)
    sizes = to_ints(list_values(shape)).astype(np.float64)
    return product_by_row(sizes, offsets), to_bools(pc.is_valid(shape))


def _at(values: Floats, is_known: Bools, rows: Ints) -> tuple[Floats, Bools]:
    if not len(values):
        return values, is_known
    return values[rows], is_known[rows] & (rows >= 0)


def _contracted(rows: pa.StructArray, shape: pa.ListArray, first: Ints) -> tuple[Floats, Bools]:
    """Return the size of the contracted dimensions of the first operand of each dot, and whether it is known."""
    numbers = rows.field("dot_dimension_numbers")
    axes = pc.fill_null(numbers.field("lhs_contracting_dimensions"), [])
    return _sizes_of_axes(axes, shape, first)


def _sizes_of_axes(axes: pa.ListArray, shape: pa.ListArray, operand: Ints) -> tuple[Floats, Bools]:
    """Return the product of the sizes of some axes of an operand, and whether it has all of them."""
    offsets, of_shape = list_offsets(axes), list_offsets(shape)
    owner, axis = row_of_value(offsets), to_ints(list_values(axes))
    source = operand[owner]
    rank = np.where(source >= 0, np.diff(of_shape)[source], 0) if len(source) else np.zeros(0, np.int64)
    is_there = (axis >= 0) & (axis < rank)
    place = np.where(is_there, of_shape[source] + axis, 0)
    sizes = np.append(to_ints(list_values(shape)), 1).astype(np.float64)[place]
    is_known = np.ones(len(axes), dtype=bool)
    is_known[owner[~is_there]] = False
    is_known &= operand >= 0
    return product_by_row(np.where(is_there, sizes, 1), offsets), is_known


def _kernel(rows: pa.StructArray, shape: pa.ListArray, second: Ints) -> tuple[Floats, Bools]:
    """Return the size of each convolution's kernel per output feature, and whether it is known."""
    size, is_shaped = _products(shape)
    kernel, is_there = _at(size, is_shaped, second)
    axis = to_ints(
        pc.fill_null(rows.field("convolution_dimension_numbers").field("kernel_output_feature_dimension"), 0)
    )
    axes = pa.ListArray.from_arrays(pa.array(np.arange(len(rows) + 1), pa.int32()), pa.array(axis))
    features, has_features = _sizes_of_axes(axes, shape, second)
    return kernel / np.maximum(features, 1), is_there & has_features & (features > 0)


def _window(rows: pa.StructArray) -> Floats:
    """Return how many elements each window has."""
    dimensions = pc.fill_null(rows.field("window").field("dimensions"), [])
    return product_by_row(to_ints(list_values(dimensions).field("size")).astype(np.float64), list_offsets(dimensions))
