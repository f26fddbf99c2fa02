"""The bytes that a node has to move at least: what it reads and what it writes, by shapes and types."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, distinct, marks, to_bools, to_ints
from tfprof_report.limits import INT64_LIMIT
from tfprof_report.model.graph.op_types import op_types
from tfprof_report.model.graph.waits import is_transfer
from tfprof_report.model.shapes.output_bytes import OutputSizes

_NOTHING = op_types("""
    Const HostConst Placeholder PlaceholderV2 PlaceholderWithDefault _Arg _Retval _DeviceArg _DeviceRetval NoOp
    ControlTrigger Variable VariableV2 VarHandleOp ReadVariableOp VarIsInitializedOp IsVariableInitialized
    DestroyResourceOp Assign AssignVariableOp Identity IdentityN RefIdentity StopGradient PreventGradient
    EnsureShape GuaranteeConst Snapshot Bitcast Reshape Squeeze ExpandDims Shape ShapeN Size Rank
    VariableShape Switch RefSwitch Merge RefMerge Enter RefEnter Exit RefExit NextIteration RefNextIteration LoopCond
    _SwitchN Assert Print PrintV2
""")
"""Op types that make no new tensor of any size: their results are buffers that are there already, or describe some.

Assignments take the buffer of the new value where nobody else needs it.
"""

_LISTS = r"^(Stack(V\d|P|Close)|Tensor(Array|List|Map))"
"""Op types on stacks, lists and maps of tensors: handles, behind which tensors may or may not be copied."""

_WRITES_ONLY = op_types("""
    ZerosLike OnesLike Fill Empty Range LinSpace RandomUniform RandomUniformInt RandomStandardNormal TruncatedNormal
    StatelessRandomUniform StatelessRandomUniformV2 StatelessRandomNormal StatelessRandomNormalV2
    StatelessTruncatedNormal StatelessTruncatedNormalV2 StatelessRandomUniformInt StatelessRandomUniformIntV2
""")
"""Op types that read at most the shapes of their inputs."""

_PART = op_types("Gather GatherV2 GatherNd ResourceGather ResourceGatherNd Slice StridedSlice")
"""Op types that read of their first input only what they return."""

_BY_HANDLE = op_types("ResourceGather ResourceGatherNd")
"""Those whose first input is a handle, which has no size."""


class _Update(NamedTuple):
    """An op that changes variables in place: its first inputs, each of the size of input `place`."""

    variables: int
    place: int
    times: int
    """How often as much as that input is moved for the variables: read and written, or only written."""


def _updates() -> dict[str, _Update]:
    """Return the updates by op type, by the arguments of TensorFlow's ops (training_ops.cc, state_ops.cc)."""
    found = {}
    optimizers = {
        (1, 2): "GradientDescent",
        (2, 3): "Momentum KerasMomentum Adagrad",
        (2, 4): "AdagradV2",
        (2, 5): "ProximalAdagrad",
        (2, 6): "AddSign PowerSign",
        (1, 4): "ProximalGradientDescent",
        (3, 3): "Ftrl FtrlV2 AdagradDA",
        (3, 6): "Adadelta",
        (3, 7): "RMSProp",
        (3, 8): "AdaMax",
        (3, 9): "Adam",
        (4, 8): "CenteredRMSProp",
        (4, 10): "AdamWithAmsgrad",
    }
    for (variables, place), names in optimizers.items():
        for name in op_types(names):
            for prefix in ("Apply", "ResourceApply", "SparseApply", "ResourceSparseApply"):
                found[prefix + name] = _Update(variables, place, 2 * variables)
    for op in ("AssignAdd", "AssignSub", "AssignAddVariableOp", "AssignSubVariableOp"):
        found[op] = _Update(1, 1, 2)
    for kind in ("Scatter", "ScatterNd", "ResourceScatter", "ResourceScatterNd"):
        found[f"{kind}Update"] = _Update(1, 2, 1)
        for change in ("Add", "Sub", "Mul", "Div", "Min", "Max"):
            found[kind + change] = _Update(1, 2, 2)
    return found


_UPDATES = _updates()


def moved_bytes(
    ops: pa.Array, edges: pa.Table, sizes: OutputSizes, *, kernel: Ints, is_inlined: Bools, is_defined: Bools
) -> pa.Array:
    """Return the bytes that one execution of each node has to move at least, int64.

    They are the sizes of its data inputs, each tensor once, and of its outputs; 0 for nodes that make no tensor of any
    size, for calls whose bodies are inlined, and for nodes that ran in the kernel of another one, with which their
    inputs count. NULL where a size is not known, for nodes of no graph, for op types on lists, and for those that wait
    or hand data to others (`waits.is_transfer`).

    Parameters
    ----------
    edges : the result of `edges.read_edges`
    kernel : per node the row of the node whose kernel it ran in, -1 if in none
    is_inlined : nodes that only call functions whose bodies are inlined
    is_defined : nodes of the graph, whose inputs are known
    """
    moves = _Moves.of(ops)
    is_member = kernel >= 0
    moves_none = moves.nothing | is_inlined | is_member
    written, is_open = _written(moves, sizes)
    read, lacks = _read(moves, edges, sizes, written, kernel=kernel, skipped=moves_none & ~is_member)
    total = np.where(moves_none, 0, written + read)
    roughly = written.astype(np.float64) + read.astype(np.float64)
    unknown = is_open | lacks | ~is_defined | moves.unknown | is_transfer(ops) | (roughly >= INT64_LIMIT)
    unknown &= ~moves_none
    return pa.array(total, mask=unknown)


class _Moves(NamedTuple):
    """What nodes do with their inputs and outputs, by op type.

    nothing : they move nothing
    unknown : what they move is not known
    first : index of the first input that they read as a whole
    is_part : they read a part of input 0, as large as what they return
    has_size : input 0 has a size: it is no handle
    place : index of the input whose size the updated variables have, -1 for nodes that update none
    times : how often they move as much as that
    """

    nothing: Bools
    unknown: Bools
    first: Ints
    is_part: Bools
    has_size: Bools
    place: Ints
    times: Ints

    @classmethod
    def of(cls, ops: pa.Array) -> _Moves:
        codes = ops.dictionary_encode()
        types = [*codes.dictionary.to_pylist(), None]
        code = to_ints(pc.fill_null(codes.indices, len(types) - 1))
        updates = [_UPDATES.get(op, _Update(0, -1, 0)) for op in types]
        never = np.iinfo(np.int64).max
        first = [
            never if op in _WRITES_ONLY else int(op in _PART) or of.variables
            for op, of in zip(types, updates, strict=True)
        ]
        return cls(
            nothing=np.array([op in _NOTHING for op in types])[code],
            unknown=np.array([op is None or re.match(_LISTS, op) is not None for op in types])[code],
            first=np.array(first, dtype=np.int64)[code],
            is_part=np.array([op in _PART for op in types])[code],
            has_size=np.array([op not in _BY_HANDLE for op in types])[code],
            place=np.array([of.place for of in updates], dtype=np.int64)[code],
            times=np.array([of.times for of in updates], dtype=np.int64)[code],
        )


def _written(moves: _Moves, sizes: OutputSizes) -> tuple[Ints, Bools]:
    """Return the bytes of the outputs of nodes that update no variable, and where they are not known."""
    outputs = sizes.sums()
    is_update = moves.place >= 0
    return np.where(is_update, 0, to_ints(pc.fill_null(outputs, 0))), ~to_bools(outputs.is_valid()) & ~is_update


def _read(
    moves: _Moves, edges: pa.Table, sizes: OutputSizes, written: Ints, *, kernel: Ints, skipped: Bools
) -> tuple[Ints, Bools]:
    """Return the bytes that nodes read, with those of the variables that they change, and where some are not known.

    A kernel reads what its nodes read of others. Of a part, no more is read than there is.
    """
    count = len(kernel)
    owner = np.where(kernel >= 0, kernel, np.arange(count))
    node, place = to_ints(edges["node"]), to_ints(edges["position"])
    kept = ~to_bools(edges["is_control"]) & ~skipped[node]
    node, place = node[kept], place[kept]
    tensor = _tensors(to_ints(pc.fill_null(edges["source"], -1))[kept], to_ints(edges["slot"])[kept], sizes)
    size = np.where(tensor < 0, -1, sizes.bytes[tensor]) if len(sizes.bytes) else np.full(len(tensor), -1)
    lacks = np.zeros(count, dtype=bool)
    read: Ints = np.zeros(count, dtype=np.int64)

    is_part = moves.is_part[node] & (place == 0)
    part, is_all = written[node[is_part]], moves.has_size[node[is_part]] & (size[is_part] >= 0)
    read[node[is_part]] = np.where(is_all, np.minimum(part, size[is_part]), part)

    is_new = place == moves.place[node]
    gradient, times = size[is_new], moves.times[node[is_new]]
    lacks[node[is_new]] = (gradient < 0) | (gradient.astype(np.float64) * times >= INT64_LIMIT)
    read[node[is_new]] = np.where(lacks[node[is_new]], 0, gradient * times)
    lacks |= (moves.place >= 0) & ~marks(node[is_new], count)

    whole = place >= moves.first[node]
    inside = whole & (tensor >= 0) & _same_kernel(sizes, tensor, node, kernel, owner)
    whole &= ~inside
    lacks[owner[node[whole & (size < 0)]]] = True
    whole &= size >= 0
    total = max(len(sizes.bytes), 1)
    reader, each = np.divmod(distinct(owner[node[whole]] * total + tensor[whole]), total)
    of_each = sizes.bytes[each]
    roughly = np.bincount(reader, weights=of_each, minlength=count) + read
    np.add.at(read, reader, of_each)
    too_large = roughly >= INT64_LIMIT
    return np.where(too_large, 0, read), lacks | too_large


def _tensors(source: Ints, slot: Ints, sizes: OutputSizes) -> Ints:
    """Return the index of each output among all outputs, -1 if there is none or it is not known."""
    if len(sizes.offsets) < 2:  # noqa: PLR2004 without nodes
        return np.full(len(source), -1)
    place = sizes.offsets[:-1][source] + slot
    return np.where((source >= 0) & (place < sizes.offsets[1:][source]), place, -1)


def _same_kernel(sizes: OutputSizes, tensor: Ints, node: Ints, kernel: Ints, owner: Ints) -> Bools:
    """Return which tensors are made and read within one kernel of several nodes."""
    if not (kernel >= 0).any():
        return np.zeros(len(tensor), dtype=bool)
    source = np.searchsorted(sizes.offsets, np.maximum(tensor, 0), side="right") - 1
    result: Bools = (owner[source] == owner[node]) & (source != node)
    return result
