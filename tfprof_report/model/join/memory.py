"""Memory of executions: which of their bytes are known, why not, and what they come to in a step.

No record of memory is not 0 bytes. Nor is a negative size, which no allocator can have.
"""

from __future__ import annotations

from enum import StrEnum

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, sum_by_row, to_bools, to_ints, whole
from tfprof_report.diagnostics import EXAMPLES, Diagnostic, Severity
from tfprof_report.ingest.run_meta import NEGATIVE, SIZES

MEMORY_STEMS = ("bytes", "peak_bytes", "residual_bytes", "output_bytes")

Codes = npt.NDArray[np.int8]
"""0 where bytes are known, otherwise the place in `NoMemory`, counted from 1."""


class NoMemory(StrEnum):
    """Why bytes are unknown; of several reasons the last one is named."""

    NO_RECORD = "no memory record"
    NO_START = "no start time"
    NEGATIVE = "negative bytes"
    UNKNOWN_DEVICE = "device of unknown kind"


_NO_RECORD, _NO_START, _NEGATIVE, _UNKNOWN_DEVICE = range(1, len(NoMemory) + 1)


def why_unknown(records: pa.Table, *, timed: Bools, is_idle: Bools, is_elsewhere: Bools) -> dict[str, Codes]:
    """Return for each of `MEMORY_STEMS` why the bytes of each record are unknown.

    Parameters
    ----------
    records : rows of `run_meta.EXECUTIONS`
    timed : has a start time; tfprof skips the memory of the others
    is_idle : no kernel runs for the node, so that no record of memory is 0 bytes
    is_elsewhere : ran on a device of unknown kind, whose memory is not counted
    """
    has_memory, has_outputs = (to_bools(records[name]) | is_idle for name in ("has_memory", "has_outputs"))
    codes = {}
    for stem in MEMORY_STEMS:
        is_recorded = has_outputs if stem == "output_bytes" else has_memory
        code = np.where(timed, np.where(is_recorded, 0, _NO_RECORD), _NO_START)
        code = np.where(to_bools(records[NEGATIVE + stem]), _NEGATIVE, code)
        codes[stem] = np.where(is_elsewhere, _UNKNOWN_DEVICE, code).astype(np.int8)
    return codes


def step_memory(
    records: pa.Table, codes: dict[str, Codes], *, order: Ints, offsets: Ints, group: Ints, holds: Bools
) -> dict[str, pa.Array]:
    """Return `MEMORY_STEMS` of each row of `Executions.steps`, NULL where unknown, and `memory_reason`.

    Of peaks the largest counts, of all others the sum.

    Parameters
    ----------
    records, codes : as in `why_unknown`
    order, offsets : row i of the steps has the records ``order[offsets[i]:offsets[i + 1]]``
    group : per row of the steps a number for its node and step
    holds : per record, whether its memory would belong to its node
    """
    held = holds[order]
    # Memory is noted on CPU and GPU devices. A row of another one adds nothing, unless the node has no other row.
    has_place = np.bincount(group, weights=sum_by_row(held.astype(np.int64), offsets), minlength=1)[group] > 0
    first = offsets[:-1]
    columns, reason = {}, np.zeros(len(first), dtype=np.int8)
    for stem in MEMORY_STEMS:
        code = codes[stem][order]
        code = np.where(held | (code == _UNKNOWN_DEVICE), code, 0).astype(np.int8)
        worst = np.where(has_place, _most(code, first), _NO_RECORD).astype(np.int8)
        values = np.where(held & (code == 0), to_ints(records[stem])[order], 0)
        total = _most(values, first) if stem == "peak_bytes" else sum_by_row(values, offsets)
        columns[stem] = pa.array(total, mask=worst > 0)
        reason = np.maximum(reason, worst)
    columns["memory_reason"] = reasons(reason)
    return columns


def _most(values: npt.NDArray[np.signedinteger], first: Ints) -> npt.NDArray[np.signedinteger]:
    """Return the largest value of each group; `first` is where each begins, and none is empty."""
    return np.maximum.reduceat(values, first) if len(first) else values


def reasons(codes: Codes) -> pa.DictionaryArray:
    """Return reasons in words, NULL where bytes are known."""
    words = pa.array([str(reason) for reason in NoMemory])
    indices = pa.array(np.maximum(codes - 1, 0).astype(np.int32), mask=codes == 0)
    return pa.DictionaryArray.from_arrays(indices, words)


def node_reasons(steps: pa.Table, count: int) -> pa.DictionaryArray:
    """Return per node why its bytes are unknown in some step, NULL where they are known in all."""
    words = pa.array([str(reason) for reason in NoMemory])
    place = pc.index_in(steps["memory_reason"].cast(pa.string()), value_set=words)
    codes = np.zeros(count, dtype=np.int8)
    np.maximum.at(codes, to_ints(steps["node"]), to_ints(pc.fill_null(place, -1)).astype(np.int8) + np.int8(1))
    return reasons(codes)


def recorded_memory(records: pa.Table, count: int) -> dict[str, Ints]:
    """Return `MEMORY_STEMS` per node as tfprof counts them: the plain sums over its records, whatever their sign.

    `records` are those of `Executions.records` that hold memory.
    """
    node = to_ints(records["node"])
    sums = {stem: np.zeros(count, dtype=np.int64) for stem in MEMORY_STEMS}
    for stem, column in sums.items():
        np.add.at(column, node, to_ints(records[stem]))
    return sums


def negative_records(records: pa.Table) -> pa.Array:
    """Return the names of the records with a negative size, in file order."""
    is_negative = np.logical_or.reduce([to_bools(records[NEGATIVE + name]) for name in SIZES])
    return whole(records["node_name"].filter(pa.array(is_negative)))


def diagnose_memory(names: pa.Array, steps: pa.Table, negative: pa.Array) -> list[Diagnostic]:
    """Return a diagnostic for records with negative sizes, and one for nodes that ran without a record of memory."""
    without = steps["node"].filter(pc.equal(steps["memory_reason"].cast(pa.string()), str(NoMemory.NO_RECORD)))
    bare = pc.unique(without)
    found = [
        (
            Severity.WARNING,
            "negative_bytes",
            "run metadata records have a negative number of bytes, so that their memory is unknown and in no total",
            len(negative),
            negative.unique().slice(0, EXAMPLES),
        ),
        (
            Severity.NOTE,
            "no_memory_record",
            "nodes ran without a record of memory, so that their bytes are unknown",
            len(bare),
            names.take(bare.slice(0, EXAMPLES)),
        ),
    ]
    return [
        Diagnostic(severity=severity, code=code, text=text, count=count, examples=tuple(examples.to_pylist()))
        for severity, code, text, count, examples in found
        if count
    ]
