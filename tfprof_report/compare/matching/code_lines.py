"""Matches the rows of code view: a line of code that moved within its function is the same line."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Hashes, Ints, mix, to_ints, whole
from tfprof_report.compare.comparison import MatchedBy
from tfprof_report.compare.matching.pairs import WORDS, Partners, match_names

_LAST_FRAME = r"(?s)^.* > "
_FRAME = r"(?s)^(?P<file>.*):(?P<line>[0-9]{1,9}):(?P<function>[^:]*)$"
_OFFSETS = 1000
"""Most lines of a function that are tried as the one that its first line became."""


def match_code(base: pa.Table, head: pa.Table) -> Partners:
    """Return the partners of rows of code view.

    Rows have the same call stack, where the lines of a function are matched in order if both sides have as many, and
    otherwise by the shift that most of them share: an edit above a line moves it.

    Raises
    ------
    InputError
        A call stack is not unique on its side.
    """
    by_path = match_names(base["path"], head["path"])
    if (by_path.head_row >= 0).all() and len(by_path.head_row) == head.num_rows:
        return by_path
    old, new = (pc.replace_substring_regex(whole(side["path"]), _LAST_FRAME, "") for side in (base, head))
    frames = pa.concat_arrays([old, new]).dictionary_encode()
    codes, count = to_ints(frames.indices), base.num_rows
    moved = _moved_frames(frames.dictionary, codes[:count], codes[count:])
    keys = _stack_keys(base, moved[codes[:count]]), _stack_keys(head, codes[count:])
    _, first = np.unique(keys[0], return_index=True)  # of rows that would become one, the first
    places, at = np.unique(keys[1], return_index=True)
    found = np.searchsorted(places, keys[0][first])
    found[found == len(places)] = 0
    is_there = places[found] == keys[0][first] if len(places) else np.zeros(len(first), dtype=bool)
    head_row = np.full(count, -1)
    head_row[first[is_there]] = at[found[is_there]]
    why = np.where(head_row < 0, -1, WORDS.index(MatchedBy.NAME)).astype(np.int8)
    return Partners(head_row=head_row, matched_by=why)


def _moved_frames(frames: pa.Array, old: Ints, new: Ints) -> Ints:
    """Return per frame of base the frame of head that it became; a frame that did not move is its own."""
    parts = pc.extract_regex(frames, _FRAME)
    has_line = np.asarray(parts.is_valid())
    places = pc.binary_join_element_wise(parts.field("file"), parts.field("function"), "\n").dictionary_encode()
    function = np.where(has_line, to_ints(pc.fill_null(places.indices, -1)), -1)
    line = to_ints(pc.fill_null(pc.if_else(pa.array(has_line), parts.field("line"), None).cast(pa.int64()), -1))
    moved = np.arange(len(frames))
    olds, news = (_by_function(np.unique(side), function) for side in (old, new))
    for place in olds.keys() & news.keys() - {-1}:
        rows, others = (side[place][np.argsort(line[side[place]])] for side in (olds, news))
        if len(rows) == len(others):
            moved[rows] = others
            continue
        shift = _shift(line[rows], line[others])
        at = np.searchsorted(line[others], line[rows] + shift)
        at[at == len(others)] = 0
        is_there = line[others][at] == line[rows] + shift
        moved[rows[is_there]] = others[at[is_there]]
        # A line that is gone must not look like the one that took its number.
        gone = rows[~is_there & np.isin(rows, others)]
        moved[gone] = len(frames) + gone
    return moved


def _by_function(frames: Ints, function: Ints) -> dict[int, Ints]:
    """Return the frames of each function."""
    order = frames[np.argsort(function[frames], kind="stable")]
    places, starts = np.unique(function[order], return_index=True)
    return dict(zip(places.tolist(), np.split(order, starts[1:]), strict=True))


def _shift(old: Ints, new: Ints) -> int:
    """Return by how many lines most lines moved; of equal ones the smallest."""
    shifts, times = np.unique((new[None, :_OFFSETS] - old[:_OFFSETS, None]).ravel(), return_counts=True)
    return int(shifts[np.lexsort((np.abs(shifts), -times))[0]])


def _stack_keys(rows: pa.Table, frames: Ints) -> Hashes:
    """Return a number per row that is equal for equal call stacks, by the frames of all rows above."""
    keys = mix(frames)
    parent = to_ints(rows["parent"].fill_null(-1))
    depth = to_ints(rows["depth"])
    order = np.argsort(depth, kind="stable")
    for level in np.split(order, np.flatnonzero(np.diff(depth[order])) + 1):
        inner = level[parent[level] >= 0]
        keys[inner] = mix(keys[parent[inner]] ^ keys[inner])
    return keys
