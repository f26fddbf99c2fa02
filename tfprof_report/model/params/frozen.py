"""Finds the constants that are weights of a frozen graph.

Freezing leaves marks in names, which are reliable. Optimisation removes them; then a constant is assumed to be a weight
if it feeds a weight input of an op. That is a guess, made only for graphs with neither variables nor reads of frozen
variables; tables in which a gather looks rows up are guessed beside such reads too, since a gather needs none.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, marks, to_bools, to_ints
from tfprof_report.model.graph.data_types import FLOATS, QUANTIZED
from tfprof_report.model.graph.origins import Slots, at_slots
from tfprof_report.model.params.count import shape_products

_WEIGHTS: Slots = {
    **dict.fromkeys(("Conv2D", "Conv3D", "DepthwiseConv2dNative", "Dilation2D"), (1,)),
    **dict.fromkeys(("Conv2DBackpropInput", "Conv3DBackpropInputV2", "DepthwiseConv2dNativeBackpropInput"), (1,)),
    **dict.fromkeys(("_MklNativeConv2D", "_MklNativeDepthwiseConv2dNative"), (1,)),
    **dict.fromkeys(("_FusedConv2D", "_FusedDepthwiseConv2dNative"), (1, 2, 3, 4, 5)),
    **dict.fromkeys(("_MklNativeFusedConv2D", "_MklNativeFusedDepthwiseConv2dNative"), (1, 2, 3, 4, 5)),
    **dict.fromkeys(("QuantizedConv2D", "QuantizedDepthwiseConv2D", "QuantizedMatMul", "QuantizedBiasAdd"), (1,)),
    **dict.fromkeys(("QuantizedConv2DWithBias", "QuantizedConv2DWithBiasAndRelu"), (1, 2)),
    **dict.fromkeys(("QuantizedDepthwiseConv2DWithBias", "QuantizedMatMulWithBias"), (1, 2)),
    **dict.fromkeys(("MatMul", "BatchMatMul", "BatchMatMulV2", "BatchMatMulV3", "SparseMatMul"), (0, 1)),
    **dict.fromkeys(("Einsum", "_MklMatMul", "_MklNativeBatchMatMulV2"), (0, 1)),
    **dict.fromkeys(("_FusedMatMul", "_MklNativeFusedMatMul"), (0, 1, 2)),
    **dict.fromkeys(("BiasAdd", "BiasAddV1"), (1,)),
    **dict.fromkeys(("Gather", "GatherV2"), (0,)),
    "SparseTensorDenseMatMul": (3,),
    "LSTMBlockCell": (3, 4, 5, 6, 7),
    **dict.fromkeys(("BlockLSTM", "BlockLSTMV2"), (4, 5, 6, 7, 8)),
    "GRUBlockCell": (2, 3, 4, 5),
    **dict.fromkeys(("CudnnRNN", "CudnnRNNV2", "CudnnRNNV3"), (3,)),
}
"""Inputs that take weights, by TensorFlow's op definitions."""

_NORMALISED: Slots = {
    **dict.fromkeys(("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3", "_FusedBatchNormEx"), (1, 2, 3, 4)),
    "BatchNormWithGlobalNormalization": (1, 2, 3, 4),
}
"""Inputs that take weights, or constants of ones and zeros where a normalisation has no weights."""

_OPERANDS: Slots = dict.fromkeys(("Add", "AddV2", "Mul", "Sub", "RealDiv"), (0, 1)) | {"Rsqrt": (0,)}
"""Inputs that take weights if the constant is named like one (`_NAMED`)."""

_TABLES: Slots = dict.fromkeys(("Gather", "GatherV2", "GatherNd"), (0,))
"""Inputs from which rows are looked up."""

_READ = r"(^|/)ReadVariableOp(_[0-9]+)?$"
_HANDLE = r"(^|/)ReadVariableOp(_[0-9]+)?/resource$"
_REF_READ = r"[^/]/read$"
_LOOKED_UP = r"/(resource|[0-9]+)$"
"""A handle that a function captures is called after the op that takes it, or by a number in Keras' embeddings."""

_NAMED = (
    r"(^|/)(kernels?|weights?|bias(es)?|gamma|beta|alpha|scale|offset|moving_mean|moving_variance|embeddings?)"
    r"(_[0-9]+)?$"
)
_UNNAMED = r"(^|/)(Const|ones|zeros|ones_like|zeros_like|Fill)(_[0-9]+)?$"
"""TensorFlow's default names of constants, such as the ones in place of a batch normalisation's missing gamma."""


def marked_weights(
    names: pa.Array, ops: pa.Array, edges: pa.Table, attrs: Mapping[str, pa.Array], origin: Ints
) -> tuple[Bools, bool]:
    """Return the constants that were variables, by the names that freezing leaves, and whether these are all.

    They are all if ops that read frozen variables are still in the graph; if those were optimised away, some names may
    be lost too.

    ``convert_variables_to_constants`` of TensorFlow 1 turns a variable ``x`` into a constant with the identity
    ``x/read``. For resource variables, and in TensorFlow 2, the op that read the handle becomes an identity that is
    still called ``ReadVariableOp``, and a captured handle becomes the constant ``ReadVariableOp/resource``. Constant
    folding turns the identity itself into the constant (tensorflow/python/framework/convert_to_constants.py). A table
    that only a gather reads has no such identity; its constant keeps the name of the handle.

    Parameters
    ----------
    attrs : as in `likely_weights`
    origin : the result of `origins.origins`
    """
    is_const, is_identity = to_bools(pc.equal(ops, "Const")), to_bools(pc.equal(ops, "Identity"))
    among = is_const | is_identity
    is_read, is_ref_read = matches(names, _READ, among), matches(names, _REF_READ, among)
    marked = is_read | is_ref_read | matches(names, _HANDLE, is_const)
    marked |= matches(names, _LOOKED_UP, looked_up(ops, edges, attrs, origin))
    reader = np.flatnonzero(is_identity & is_ref_read)
    expected = pc.binary_join_element_wise(names.take(pa.array(origin[reader])), "read", "/")
    reader = reader[to_bools(pc.equal(expected, names.take(pa.array(reader))))]
    read = origin[np.append(reader, np.flatnonzero(is_identity & is_read))]
    marked[read] = True
    return marked & is_const, bool(is_const[read].any())


def likely_weights(
    names: pa.Array, ops: pa.Array, edges: pa.Table, attrs: Mapping[str, pa.Array], origin: Ints
) -> Bools:
    """Return the constants that feed weight inputs of ops; those that are no tensors of numbers (`_fits`) are not.

    Constants with a default name that feed a normalisation are not either: they replace a gamma that it does not have.

    Parameters
    ----------
    attrs : own_shape and dtype, NULL where a node lacks the attribute
    """
    fits = _fits(ops, attrs)
    source = to_ints(pc.fill_null(edges["source"], -1))
    is_there = source >= 0

    def fed(slots: Slots) -> Bools:
        result = marks(origin[source[at_slots(ops, edges, slots) & is_there]], len(names))
        return fits & result

    normal = fed(_NORMALISED)
    return fed(_WEIGHTS) | (normal & ~matches(names, _UNNAMED, normal)) | matches(names, _NAMED, fed(_OPERANDS))


def looked_up(ops: pa.Array, edges: pa.Table, attrs: Mapping[str, pa.Array], origin: Ints) -> Bools:
    """Return the constants in which a gather looks rows up; those that are no tensors of numbers (`_fits`) are not.

    Parameters
    ----------
    attrs : as in `likely_weights`
    """
    source = edges["source"].filter(pa.array(at_slots(ops, edges, _TABLES))).drop_null()
    return _fits(ops, attrs) & marks(origin[to_ints(source)], len(ops))


def _fits(ops: pa.Array, attrs: Mapping[str, pa.Array]) -> Bools:
    """Return the constants that may be weights: no scalars, empty tensors or unquantized integers."""
    shape, dtype = attrs["own_shape"], pa.array([*FLOATS, *QUANTIZED], pa.int64())
    fits = to_bools(pc.equal(ops, "Const")) & to_bools(pc.is_in(attrs["dtype"], value_set=dtype))
    return fits & to_bools(pc.greater(pc.list_value_length(shape), 0)) & (shape_products(shape)[0] > 0)


def matches(names: pa.Array, pattern: str, among: Bools) -> Bools:
    """Return which names contain a match of the regex; only the names `among` the mask are searched."""
    found = np.zeros(len(names), dtype=bool)
    found[among] = to_bools(pc.match_substring_regex(names.filter(pa.array(among)), pattern))
    return found
