"""The code view: a forest of call stacks. A node belongs to its innermost frame, a gradient to its forward node's."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, prefix_sums, rows_of_words, take_ranges, to_bools, to_ints, whole
from tfprof_report.errors import ViewLimitError
from tfprof_report.model.node_table import NodeTable
from tfprof_report.semantics import Semantics
from tfprof_report.views.forest import Forest, shared_with_previous, sort_siblings
from tfprof_report.views.layout import Layout, paths_of

GRADIENT = " (gradient)"
"""Appended to the names of a forward node's frames where they are repeated for its gradient nodes."""

NO_TRACE = "no trace"
"""Name of the row for nodes without a call stack."""

_BEGIN, _END = "gradients/", "_grad/"

MAX_FRAMES, _TIMES = 2**22, 8
"""Most frames of all stacks, with those that gradient nodes repeat, or this multiple of those in the op log."""

MAX_PATH_BYTES, _BYTES_OF_FRAME, _MOST_PATH_BYTES = 2**27, 2**9, 2**30
"""Most bytes of all paths, or this many for each frame in the op log, but never more than the last."""


def build_code_layout(table: NodeTable, semantics: Semantics) -> Layout:
    """Return the forest of call stacks; siblings are in the order of first use by nodes sorted by name.

    Frames below the same parent are one row if they have the same file, line and function, or under tfprof's semantics
    the same name. Nodes without a call stack are in a row `NO_TRACE`, or missing under tfprof's semantics.

    Raises
    ------
    ViewLimitError
        Gradient nodes repeat stacks with more than `MAX_FRAMES` frames.
    """
    traces, names = table.traces, table.column("name")
    lengths = np.diff(traces.offsets)
    by_name = to_ints(pc.sort_indices(names))
    taking_part = by_name[lengths[by_name] > 0]
    forward = _forward_names(names.take(pa.array(taking_part)))
    is_gradient = to_bools(pc.is_valid(forward))
    ordinary, gradient = taking_part[~is_gradient], taking_part[is_gradient]
    forward = forward.filter(pa.array(is_gradient))

    # As in tfprof, gradient nodes come after all others, sorted by forward name, and have their forward node's frames.
    order = to_ints(pc.sort_indices(forward)) if len(forward) else np.zeros(0, dtype=np.int64)
    gradient, forward = gradient[order], forward.take(pa.array(order))
    place = rows_of_words(forward, names.take(pa.array(ordinary)))
    lost = len(pc.unique(forward.filter(pa.array(place < 0))))
    gradient, stack_owner = gradient[place >= 0], ordinary[place[place >= 0]]

    nodes = np.concatenate([ordinary, gradient])
    owners = np.concatenate([ordinary, stack_owner])
    counts = lengths[owners]
    if counts.sum() > (most := max(MAX_FRAMES, _TIMES * len(traces.frame))):
        raise ViewLimitError(
            f"gradient nodes repeat the call stacks of their forward nodes, with more than {most:,} frames",
            advice="check the op log's call stacks: some are too deep",
        )
    frame = traces.frame[take_ranges(traces.offsets[:-1][owners], counts)]
    mirrored = np.repeat(np.arange(len(nodes)) >= len(ordinary), counts)
    return _build(table, semantics, nodes=nodes, counts=counts, frame=frame, mirrored=mirrored, lost=lost)


def code_paths(table: NodeTable, layout: Layout, semantics: Semantics) -> pa.Array:
    """Return the unique path of each row: its call stack, by frame names under tfprof, else by file:line:function.

    Raises
    ------
    ViewLimitError
        The paths have more bytes than `MAX_PATH_BYTES` allows.
    """
    most = max(MAX_PATH_BYTES, min(_BYTES_OF_FRAME * len(table.traces.frame), _MOST_PATH_BYTES))
    if semantics.merge_frames_by_name:
        return paths_of(layout.forest, layout.names, most)
    frames = table.traces.frames.take(pa.array(layout.frame, mask=layout.frame < 0))
    mark = pc.if_else(pa.array(layout.is_gradient == 1), GRADIENT, "")
    line = frames["line"].cast(pa.string())
    names = pc.binary_join_element_wise(
        frames["file"], line, pc.binary_join_element_wise(frames["function"], mark, ""), ":"
    )
    return paths_of(layout.forest, whole(pc.coalesce(names, layout.names)), most)


def _forward_names(names: pa.Array) -> pa.Array:
    """Return the forward node's name of each gradient node, NULL for other nodes.

    As in tfprof, it is the text between the first ``gradients/`` and the first ``_grad/``; if ``_grad/`` comes first,
    it is all the text after ``gradients/``.
    """
    begin, end = (to_ints(pc.find_substring(names, text)) for text in (_BEGIN, _END))
    start = begin + len(_BEGIN)
    candidates = np.flatnonzero((begin >= 0) & (end >= 0))
    # Gradients only, row by row in Python: Arrow has no kernel that slices at varying positions.
    texts = names.take(pa.array(candidates)).to_pylist()
    found: list[str | None] = [None] * len(names)
    for place, text in zip(candidates.tolist(), texts, strict=True):
        data = text.encode()
        stop = end[place] if end[place] >= start[place] else len(data)
        found[place] = data[start[place] : stop].decode() or None
    return pa.array(found, pa.string())


def _build(
    table: NodeTable,
    semantics: Semantics,
    *,
    nodes: Ints,
    counts: Ints,
    frame: Ints,
    mirrored: Bools,
    lost: int,
) -> Layout:
    """Build a trie of the stacks: sort them, add to each the frames after its common prefix, order siblings."""
    frames = table.traces.frames
    key = frames["name"] if semantics.merge_frames_by_name else _identity(frames)
    identity = to_ints(whole(key).dictionary_encode().indices)
    codes = identity[frame] * 2 + mirrored
    offsets = prefix_sums(counts)
    order = _sorted_stacks(codes, offsets)
    lengths = counts[order]
    sorted_frames = take_ranges(offsets[:-1][order], lengths)
    sorted_offsets = prefix_sums(lengths)
    shared = shared_with_previous(codes[sorted_frames], sorted_offsets)
    added = lengths - shared
    owner = np.repeat(np.arange(len(order)), added)
    part = take_ranges(shared, added)
    at = sorted_frames[sorted_offsets[:-1][owner] + part]

    ends = np.cumsum(added) - 1  # the innermost row of each stack; a repeated stack adds no rows and has the same one
    row_of_stack = np.empty(len(order), dtype=np.int64)
    row_of_stack[order] = ends
    forest = Forest.from_depths(part + 1)
    first_use = np.full(len(forest), len(nodes), dtype=np.int64)
    np.minimum.at(first_use, ends, order)
    preorder = sort_siblings(forest, [_first_in_subtree(forest, first_use)])
    place = np.empty(len(forest), dtype=np.int64)
    place[preorder] = np.arange(len(forest))

    at = at[preorder]
    is_mirrored = mirrored[at]
    row_frame = frame[at]
    names = whole(frames["name"]).take(pa.array(row_frame))
    names = pc.if_else(pa.array(is_mirrored), pc.binary_join_element_wise(names, GRADIENT, ""), names)
    depth = forest.depth[preorder]
    row_of_node = np.full(table.count, -1, dtype=np.int64)
    row_of_node[nodes] = place[row_of_stack]
    if not semantics.drop_nodes_without_trace and (row_of_node < 0).any():
        row_of_node[row_of_node < 0] = len(depth)
        depth, row_frame = np.append(depth, 1), np.append(row_frame, -1)
        is_mirrored = np.append(is_mirrored, False)
        names = pa.concat_arrays([names, pa.array([NO_TRACE])])
    return Layout(
        view="code",
        forest=Forest.from_depths(depth),
        names=names,
        leaves=names,
        row_of_node=row_of_node,
        frame=row_frame,
        is_gradient=is_mirrored.astype(np.int64),
        lost_gradients=lost,
    )


def _identity(frames: pa.Table) -> pa.ChunkedArray:
    return pc.binary_join_element_wise(frames["file"], frames["line"].cast(pa.string()), frames["function"], "\0")


def _sorted_stacks(codes: Ints, offsets: Ints) -> Ints:
    """Return the stacks in lexicographic order of their codes, so that stacks with a common prefix are adjacent.

    A list of big-endian integers sorts like its bytes, and Arrow can sort binary values but not lists.
    """
    data = codes.astype(">u4").tobytes()
    ends = pa.array(offsets * 4, pa.int64())
    stacks = pa.LargeBinaryArray.from_buffers(
        pa.large_binary(), len(offsets) - 1, [None, ends.buffers()[1], pa.py_buffer(data)]
    )
    return to_ints(pc.sort_indices(stacks))


def _first_in_subtree(forest: Forest, first_use: Ints) -> Ints:
    """Return the minimum of `first_use` over each subtree.

    Unlike a sum, a range minimum is not a difference of prefix values. Two overlapping ranges of a power of two cover a
    subtree, so the minimums over ranges of 1, 2, 4 ... rows (a sparse table) suffice.
    """
    result, minimums, width = first_use.copy(), first_use, 1
    while width <= len(forest):
        rows = np.flatnonzero((forest.size >= width) & (forest.size < 2 * width))
        result[rows] = np.minimum(minimums[rows], minimums[rows + forest.size[rows] - width])
        minimums = np.minimum(minimums[:-width], minimums[width:])
        width *= 2
    return result
