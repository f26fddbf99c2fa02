"""Call stacks of nodes from the op log: which source lines built which node."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import (
    Ints,
    list_offsets,
    list_values,
    prefix_sums,
    sort_distinct,
    take_ranges,
    to_bools,
    to_ints,
    whole,
)
from tfprof_report.ingest.op_log import OpLogColumns
from tfprof_report.ingest.repeated_text import take_text
from tfprof_report.record import record

MAX_FUNCTION_BYTES = 20
"""From this length on, tfprof cuts a function's name to 17 bytes and three dots."""

_KEPT_FUNCTION_BYTES = 17

_LIBRARY = r"(^|[/\\])(site-packages|dist-packages|tensorflow|keras|tf_keras)[/\\]"
"""Files of TensorFlow and of installed packages."""


@record
class Traces:
    """The call stacks of all nodes.

    is_present : some log entry carries a code_def, even an empty one
    offsets : node i's frames are ``frame[offsets[i]:offsets[i + 1]]``, outermost first
    frame : row of `frames` of each frame of each node
    frames : the distinct frames: file (path as logged, ``file#ID`` where the log lacks the string), line, function
        (likewise), func_start_line, name (``base.py:12:function`` as tfprof prints it)
    """

    is_present: bool
    offsets: Ints
    frame: Ints
    frames: pa.Table


def read_traces(op_log: OpLogColumns | None, row_of_entry: pa.ChunkedArray | None, count: int) -> Traces:
    """Return the call stacks of `count` nodes; `row_of_entry` is the node row of each log entry, NULL if it has none.

    If a node has several stacks the first one counts, even if it has no frames.
    """
    if op_log is None or row_of_entry is None:
        return Traces(
            is_present=False,
            offsets=np.zeros(count + 1, dtype=np.int64),
            frame=np.zeros(0, dtype=np.int64),
            frames=_name_frames(
                [np.zeros(0, dtype=np.int64)] * 4, pa.table({"id": pa.array([], pa.int64()), "string": []})
            ),
        )
    traces = whole(op_log.entries["traces"])
    entry_offsets = list_offsets(traces)
    rows = to_ints(pc.fill_null(row_of_entry, -1))
    candidates = np.flatnonzero((rows >= 0) & to_bools(op_log.entries["has_code_def"]))
    nodes, first = np.unique(rows[candidates], return_index=True)
    entries = candidates[first]
    lengths = np.diff(entry_offsets)[entries]
    picked = pa.array(take_ranges(entry_offsets[:-1][entries], lengths))
    values = list_values(traces)
    parts = [
        to_ints(values.field(name).take(picked)) for name in ("file_id", "lineno", "function_id", "func_start_line")
    ]
    distinct, frame = sort_distinct(parts)
    counts = np.zeros(count, dtype=np.int64)
    counts[nodes] = lengths
    return Traces(
        is_present=len(candidates) > 0,
        offsets=prefix_sums(counts),
        frame=frame,
        frames=_name_frames(distinct, op_log.strings),
    )


def own_lines(traces: Traces) -> pa.Array:
    """Return per node ``file:line`` of the innermost call that is not in a library; NULL for nodes without such a call.

    These are the lines of the model's own code.
    """
    frames = traces.frames
    own = np.flatnonzero(~to_bools(pc.match_substring_regex(frames["file"], _LIBRARY))[traces.frame])
    node = np.searchsorted(traces.offsets, own, side="right") - 1
    innermost = np.full(len(traces.offsets) - 1, -1)
    innermost[node] = traces.frame[own]
    lines = whole(pc.binary_join_element_wise(frames["file"], frames["line"].cast(pa.string()), ":"))
    return lines.take(pa.array(innermost, mask=innermost < 0))


def _name_frames(frames: list[Ints], strings: pa.Table) -> pa.Table:
    """Return the texts of distinct frames, given as file ids, lines, function ids and first lines of the functions."""
    files, lines, functions, starts = frames
    file, function = _look_up(files, strings, "file"), _look_up(functions, strings, "function")
    line = pa.array(lines)
    base = pc.replace_substring_regex(file, "(?s)^.*/", "")
    name = pc.binary_join_element_wise(base, line.cast(pa.string()), _cut(function), ":")
    return pa.table(
        {"file": file, "line": line, "function": function, "func_start_line": pa.array(starts), "name": name}
    )


def _look_up(ids: Ints, strings: pa.Table, word: str) -> pa.Array:
    keys, values = to_ints(strings["id"]), whole(strings["string"]).cast(pa.string())
    keys, last = np.unique(keys[::-1], return_index=True)  # reversed: protobuf keeps the last of equal keys
    place = np.searchsorted(keys, ids)
    place[place == len(keys)] = 0
    known = keys[place] == ids if len(keys) else np.zeros(len(ids), dtype=bool)
    index = (len(values) - 1 - last)[place] if len(keys) else place
    found = take_text(values, np.where(known, index, -1), f"names of {word}s in the op log's call stacks")
    placeholder = pc.binary_join_element_wise(word, pa.array(ids).cast(pa.string()), "#")
    return pc.coalesce(found, placeholder)


def _cut(functions: pa.Array) -> pa.Array:
    """Return function names as tfprof cuts them, but never inside a character."""
    is_long = to_bools(pc.greater_equal(pc.binary_length(functions), MAX_FUNCTION_BYTES))
    if not is_long.any():
        return functions
    cut = [
        name.encode()[:_KEPT_FUNCTION_BYTES].decode(errors="ignore") + "..."
        for name in functions.filter(pa.array(is_long)).to_pylist()  # distinct source lines, not nodes
    ]
    return pc.replace_with_mask(functions, pa.array(is_long), pa.array(cut, pa.string()))
