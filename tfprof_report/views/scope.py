"""The scope view: a forest by name, where ``a/b`` is a child of ``a`` even if there is no node ``a``."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Ints, has_byte, list_offsets, list_values, make_lists, take_ranges, to_bools, to_ints
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
    lengths = to_ints(pc.count_substring(ordered, "/")) + 1
    scopes, leaves = _split_last(ordered)

    # Sorted like this, the names are a trie in preorder: each adds the components after its common prefix with the
    # name before it. Where both have the same scope, only the last component is new; the others are compared.
    shared = lengths - 1
    is_other = to_bools(pc.is_valid(scopes))
    is_other[1:] &= ~to_bools(pc.equal(scopes[1:], scopes[:-1]))
    compared = np.flatnonzero(is_other | np.append(is_other[1:], False))
    parts = pc.split_pattern(ordered.take(pa.array(compared)), "/")
    offsets, components = list_offsets(parts), list_values(parts)
    codes = to_ints(components.dictionary_encode().indices)
    shared[compared] = np.where(is_other[compared], shared_with_previous(codes, offsets), shared[compared])

    added = lengths - shared
    owner = np.repeat(np.arange(count), added)
    part = take_ranges(shared, added)
    is_node = part == lengths[owner] - 1
    forest = Forest.from_depths(part + 1)
    implied = np.flatnonzero(~is_node)
    first = offsets[np.searchsorted(compared, owner[implied])]
    depth = part[implied] + 1
    _check_size(pc.binary_length(components), first, depth)
    full, leaves = ordered.take(pa.array(owner)), leaves.take(pa.array(owner))
    if len(implied):
        mask = pa.array(~is_node)
        paths = pc.binary_join(make_lists(components.take(pa.array(take_ranges(first, depth))), depth), "/")
        full = pc.replace_with_mask(full, mask, paths)
        leaves = pc.replace_with_mask(leaves, mask, components.take(pa.array(first + depth - 1)))
    row_of_node = np.empty(count, dtype=np.int64)
    row_of_node[to_ints(order)] = np.flatnonzero(is_node)
    return Layout(view="scope", forest=forest, names=full, leaves=leaves, row_of_node=row_of_node)


def _slash_first(names: pa.Array) -> pa.Array:
    """Return sort keys whose byte order is the preorder of the tree: ``/`` becomes the lowest byte.

    Otherwise ``a-b`` would sort between ``a`` and ``a/c``. Bytes 0 and 1 in names are escaped to stay distinct.
    """
    if not has_byte(names, 0, ord("/") - 1):  # it is the lowest already
        return names
    if has_byte(names, 0, 1):
        for byte, escape in (("\x01", "\x01\x02"), ("\x00", "\x01\x01")):
            names = pc.replace_substring(names, byte, escape)
    return pc.replace_substring(names, "/", "\x00")


def _split_last(names: pa.Array) -> tuple[pa.Array, pa.Array]:
    """Return the scope of each name, NULL at the top, and its last component."""
    parts = pc.split_pattern(names, "/", max_splits=1, reverse=True)
    offsets, texts = list_offsets(parts), list_values(parts)
    scopes = texts.take(pa.array(offsets[:-1], mask=np.diff(offsets) == 1))
    return scopes, texts.take(pa.array(offsets[1:] - 1))


def _check_size(component_bytes: pa.Array, first: Ints, depth: Ints) -> None:
    """Raise ViewLimitError if the names of implied scopes are too long, all together.

    Each has `depth` components, from `first` on.
    """
    ends = np.cumsum(to_ints(component_bytes) + 1)
    starts = ends - to_ints(component_bytes) - 1
    total = float((ends[first + depth - 1] - starts[first]).astype(np.float64).sum())
    parts = float(depth.astype(np.float64).sum())
    for found, most, unit in ((total, MAX_IMPLIED_BYTES, "bytes"), (parts, MAX_IMPLIED_PARTS, "components")):
        if found > most:
            raise ViewLimitError(
                f"node names imply scopes whose names take {found:,.0f} {unit}, more than {most:,}",
                advice="check the graph's node names: one has too many slashes",
            )
