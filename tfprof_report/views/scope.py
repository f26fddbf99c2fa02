"""The scope view: a forest by name, where ``a/b`` is a child of ``a`` even if there is no node ``a``."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Ints, list_offsets, list_values, make_lists, take_ranges, to_ints
from tfprof_report.errors import ViewLimitError
from tfprof_report.views.forest import Forest, shared_with_previous
from tfprof_report.views.layout import Layout

SCOPE_TYPE = "_kTFScopeParent"
"""Op type that tfprof gives to an implied scope, a scope without a node of its name."""

MAX_IMPLIED_BYTES = 2**27
"""Most bytes of all implied scopes' names together. Without a limit, a name with a million slashes takes terabytes."""

MAX_IMPLIED_PARTS = 2**24
"""Most components of all these names together: joining them takes memory for each, however short it is."""


def build_scope_layout(names: pa.Array) -> Layout:
    """Return the scope view of distinct `names`, with siblings in byte order.

    Every prefix that ends before a ``/`` is a row: the node of that name, else an implied scope.

    Raises
    ------
    ViewLimitError
        The names of implied scopes have more than `MAX_IMPLIED_BYTES` or `MAX_IMPLIED_PARTS`.
    """
    count = len(names)
    if not count:
        empty = np.zeros(0, dtype=np.int64)
        none = pa.array([], pa.string())
        forest = Forest(depth=empty, parent=empty, size=empty)
        return Layout(view="scope", forest=forest, names=none, leaves=none, row_of_node=empty)
    order = pc.sort_indices(_slash_first(names))
    ordered = names.take(order)
    parts = pc.split_pattern(ordered, "/")
    offsets, components = list_offsets(parts), list_values(parts)
    codes = to_ints(components.dictionary_encode().indices)
    shared = shared_with_previous(codes, offsets)

    # Sorted like this, the names are a trie in preorder: each adds the components after its common prefix with the
    # name before it.
    lengths = np.diff(offsets)
    added = lengths - shared
    owner = np.repeat(np.arange(count), added)
    part = take_ranges(shared, added)
    _check_size(pc.binary_length(components), part, owner, offsets, lengths)
    is_node = part == lengths[owner] - 1
    implied = np.flatnonzero(~is_node)
    forest = Forest.from_depths(part + 1)
    full = ordered.take(pa.array(owner))
    if len(implied):
        prefix = take_ranges(offsets[:-1][owner[implied]], part[implied] + 1)
        paths = pc.binary_join(make_lists(components.take(pa.array(prefix)), part[implied] + 1), "/")
        full = pc.replace_with_mask(full, pa.array(~is_node), paths)
    row_of_node = np.empty(count, dtype=np.int64)
    row_of_node[to_ints(order)] = np.flatnonzero(is_node)
    return Layout(
        view="scope",
        forest=forest,
        names=full,
        leaves=components.take(pa.array(offsets[:-1][owner] + part)),
        row_of_node=row_of_node,
    )


def _slash_first(names: pa.Array) -> pa.Array:
    """Return sort keys whose byte order is the preorder of the tree: ``/`` becomes the lowest byte.

    Otherwise ``a-b`` would sort between ``a`` and ``a/c``. Bytes 0 and 1 in names are escaped to stay distinct.
    """
    if pc.any(pc.match_substring_regex(names, "[\x00\x01]")).as_py():
        for byte, escape in (("\x01", "\x01\x02"), ("\x00", "\x01\x01")):
            names = pc.replace_substring(names, byte, escape)
    return pc.replace_substring(names, "/", "\x00")


def _check_size(component_bytes: pa.Array, part: Ints, owner: Ints, offsets: Ints, lengths: Ints) -> None:
    ends = np.cumsum(to_ints(component_bytes) + 1)
    starts = ends - to_ints(component_bytes) - 1
    implied = part < lengths[owner] - 1
    first = offsets[:-1][owner[implied]]
    total = float((ends[first + part[implied]] - starts[first]).astype(np.float64).sum())
    parts = float((part[implied] + 1).astype(np.float64).sum())
    for found, most, unit in ((total, MAX_IMPLIED_BYTES, "bytes"), (parts, MAX_IMPLIED_PARTS, "components")):
        if found > most:
            raise ViewLimitError(
                f"node names imply scopes whose names take {found:,.0f} {unit}, more than {most:,}",
                advice="check the graph's node names: one has too many slashes",
            )
