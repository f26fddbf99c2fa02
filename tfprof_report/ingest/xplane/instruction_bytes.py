"""The bytes that single HLO instructions have to move at least: their operands, each once, and their result."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import (
    Floats,
    Ints,
    list_offsets,
    list_values,
    marks,
    product_by_row,
    row_of_value,
    to_bools,
    to_ints,
)

_BITS = {
    **dict.fromkeys((1, 2, 6, 19, 20, 23, 24, 25, 28, 29, 33), 8),
    **dict.fromkeys((3, 7, 10, 16), 16),
    **dict.fromkeys((4, 8, 11), 32),
    **dict.fromkeys((5, 9, 12, 15), 64),
    **dict.fromkeys((21, 22, 32), 4),
    **dict.fromkeys((26, 27), 2),
    **dict.fromkeys((30, 31), 1),
    18: 128,
    17: 0,
}
"""Bits of an element, by xla.PrimitiveType; tokens (17) have none."""

_TUPLE = 13

_MOST = float(2**60)
"""More elements than any result has, so that sums of sizes stay finite."""

_NOTHING = (
    *("parameter", "constant", "tuple", "get-tuple-element", "bitcast", "reshape", "after-all", "while", "conditional"),
    *("opt-barrier", "optimization-barrier", "add-dependency", "domain", "partition-id", "replica-id"),
)
"""Opcodes whose result is a buffer that is there already, or whose instructions are traced themselves."""

_PART = ("gather", "dynamic-slice", "slice", "dynamic-update-slice", "scatter")
"""Opcodes that read or write only a part of an operand, of a size that is not told: with them, a size is unknown."""

_OTHERS = (
    *("custom-call", "infeed", "outfeed", "send", "send-done", "recv", "recv-done", "async-start", "async-update"),
    *("async-done", "copy-start", "copy-done", "all-reduce", "all-gather", "all-to-all", "reduce-scatter"),
    *("collective-permute", "collective-broadcast", "all-reduce-start", "all-reduce-done", "all-gather-start"),
    *("all-gather-done", "collective-permute-start", "collective-permute-done"),
)
"""Opcodes that do what nobody says, or wait for others."""


def instruction_bytes(rows: pa.StructArray, *, taker: Ints, source: Ints, calls: pa.Table) -> pa.Array:
    """Return the bytes that each instruction (messages ``HloInstruction``) moves at least, int64; NULL where not known.

    Parameters
    ----------
    taker, source : instruction and the one whose result it takes, one pair per operand; -1 for one that is not there
    calls : as in `programs.Programs`; a fusion with an instruction of `_PART` in it is unknown
    """
    opcode = rows.field("opcode")
    size, is_known = _result_bytes(rows.field("shape"))
    pairs = np.unique(np.stack([taker, source]), axis=1) if len(taker) else np.zeros((2, 0), dtype=np.int64)
    taker, source = pairs
    moved = size.copy()
    np.add.at(moved, taker, np.where(source >= 0, size[np.maximum(source, 0)], 0))
    lacks = marks(taker[(source < 0) | ~is_known[np.maximum(source, 0)]], len(rows)) if len(taker) else ~is_known
    is_part, is_other, is_nothing = (
        to_bools(pc.is_in(opcode, value_set=pa.array(words))) for words in (_PART, _OTHERS, _NOTHING)
    )
    caller, callee = to_ints(calls["caller"]), to_ints(calls["callee"])
    has_part = is_part | marks(caller[(is_part | is_other)[callee]], len(rows))
    is_unknown = ~is_known | lacks | has_part | is_other | (moved >= float(2**53))
    moved = np.where(is_nothing, 0, moved)
    return pa.array(np.where(is_unknown, 0, moved).astype(np.int64), mask=is_unknown & ~is_nothing)


def _result_bytes(shapes: pa.StructArray) -> tuple[Floats, np.ndarray]:
    """Return the bytes of each result, those of a tuple added up, and whether they are known."""
    size, is_known = _array_bytes(shapes)
    parts = pc.fill_null(shapes.field("tuple_shapes"), [])
    of_part, part_is_known = _array_bytes(list_values(parts))
    owner = row_of_value(list_offsets(parts))
    total, lost = np.zeros(len(shapes)), np.zeros(len(shapes), dtype=np.int64)
    np.add.at(total, owner, of_part)
    np.add.at(lost, owner, ~part_is_known)
    is_tuple = to_bools(pc.equal(shapes.field("element_type"), _TUPLE))
    return np.where(is_tuple, total, size), np.where(is_tuple, lost == 0, is_known)


def _array_bytes(shapes: pa.StructArray) -> tuple[Floats, np.ndarray]:
    kinds = to_ints(pc.fill_null(shapes.field("element_type"), 0))
    bits = np.full(256, -1.0)
    bits[list(_BITS)] = list(_BITS.values())
    each = np.where((kinds >= 0) & (kinds < len(bits)), bits[np.clip(kinds, 0, len(bits) - 1)], -1)
    sizes = pc.fill_null(shapes.field("dimensions"), [])
    with np.errstate(over="ignore"):  # such sizes are unknown
        count = product_by_row(to_ints(list_values(sizes)).astype(np.float64), list_offsets(sizes))
    count = np.minimum(count, _MOST)
    return np.where(each >= 0, np.ceil(count * each / 8), 0), each >= 0
