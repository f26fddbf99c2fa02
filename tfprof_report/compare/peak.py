"""Compares what devices hold at their peaks: the buffers of each node and kind on both sides."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Ints, first_places, marks, number_distinct, to_bools, to_ints, whole
from tfprof_report.compare.delta import diff_exact, partner_columns, row_status
from tfprof_report.compare.matching.pairs import WORDS, Partners, pair_rows
from tfprof_report.compare.side import Side
from tfprof_report.model.parts.peak_kinds import BufferKind
from tfprof_report.schema.tables import DIFF_PEAK, freeze


def highest_peaks(side: Side) -> dict[str, tuple[int, int]]:
    """Return per device the step with its highest peak, the first of equal ones, and that peak in bytes."""
    found: dict[str, tuple[int, int]] = {}
    for peak in side.devices:
        size = peak.device_peak_bytes
        if size is not None and (peak.device not in found or size > found[peak.device][1]):
            found[peak.device] = peak.step, size
    return found


def held_at(side: Side, device: str, step: int) -> pa.Table:
    """Return the rows of `Side.peak` of one device and step."""
    return side.peak.filter(pc.and_(pc.equal(side.peak["device"], device), pc.equal(side.peak["step"], step)))


def compare_peaks(base: Side, head: Side, nodes: Partners) -> pa.Table:
    """Return what each device holds at the highest of its peaks, on both sides, as `DIFF_PEAK`.

    One row per node and kind, all allocators together: those of base in its order, then those that only head has. With
    rows that only one side has (new, removed), the bytes of a side add up to its peak. A device has no rows if a side
    does not have it, or if only one has allocation records of it: what nodes held on the other is unknown then.

    Parameters
    ----------
    nodes : the partners of the nodes of base

    Raises
    ------
    InputError
        A difference does not fit into int64.
    """
    old, new = highest_peaks(base), highest_peaks(head)
    tables = [DIFF_PEAK.empty_table()]
    for device in (each for each in old if each in new):
        steps = old[device][0], new[device][0]
        rows = held_at(base, device, steps[0]), held_at(head, device, steps[1])
        if all(each.num_rows for each in rows) and is_recorded(rows[0]) == is_recorded(rows[1]):
            tables.append(_compare(device, steps, rows, nodes, head.nodes.num_rows))
    return pa.concat_tables(tables)


def is_recorded(rows: pa.Table) -> bool:
    """Return whether rows of `held_at` tell what nodes hold, rather than the peak alone."""
    return bool(pc.any(pc.not_equal(rows["kind"].cast(pa.string()), BufferKind.NOT_RECORDED), min_count=0).as_py())


def _compare(
    device: str, steps: tuple[int, int], rows: tuple[pa.Table, pa.Table], nodes: Partners, head_count: int
) -> pa.Table:
    base_key, head_key = _keys(rows, nodes, head_count)
    (base, base_key), (head, head_key) = _by_key(rows[0], base_key), _by_key(rows[1], head_key)
    place = to_ints(pc.fill_null(pc.index_in(pa.array(base_key), value_set=pa.array(head_key)), -1))
    by_name = WORDS.index("name")
    how = np.append(nodes.matched_by, by_name)[to_ints(pc.fill_null(base["node"], -1))]
    partners = Partners(head_row=place, matched_by=np.where(place < 0, -1, how).astype(np.int8))
    pairs = pair_rows(base["name"], head["name"], partners)
    columns, is_changed = diff_exact("bytes", whole(base["bytes"]), whole(head["bytes"]), pairs)
    kinds = (whole(side["kind"].cast(pa.string())) for side in (head, base))
    count = len(pairs.base_rows)
    return freeze(
        pa.table(
            {
                "device": pa.array([device] * count, pa.string()),
                "name": pairs.names,
                "status": row_status(pairs, is_changed),
                **partner_columns(pairs),
                "kind": pc.coalesce(pairs.of_head(next(kinds)), pairs.of_base(next(kinds))).dictionary_encode(),
                "base_step": np.full(count, steps[0]),
                "head_step": np.full(count, steps[1]),
                **columns,
            }
        ),
        DIFF_PEAK,
    )


def _keys(rows: tuple[pa.Table, pa.Table], nodes: Partners, head_count: int) -> tuple[Ints, Ints]:
    """Return a number for the node and kind of each row, the same on both sides for a node and its partner.

    A node has the number of its row in head; nodes without one have numbers beyond these, and so have names of no node.
    """
    base_count = len(nodes.head_row)
    own = head_count + np.arange(base_count)
    in_head = np.append(np.where(nodes.head_row < 0, own, nodes.head_row), -1)
    base_node, head_node = (to_ints(pc.fill_null(table["node"], -1)) for table in rows)
    name, kind = (
        to_ints(pc.fill_null(pa.concat_arrays(words).dictionary_encode().indices, -1))
        for words in (
            [whole(table["name"]) for table in rows],
            [whole(table["kind"].cast(pa.string())) for table in rows],
        )
    )
    node = np.concatenate([in_head[base_node], head_node])
    node = np.where(node < 0, head_count + base_count + 1 + name, node)
    key = node * len(BufferKind) + kind
    return key[: len(base_node)], key[len(base_node) :]


def _by_key(rows: pa.Table, key: Ints) -> tuple[pa.Table, Ints]:
    """Return the rows with the bytes of equal keys added up, in order of first appearance, and their keys."""
    codes, keys = number_distinct(key)
    sums = np.zeros(len(keys), dtype=np.int64)
    np.add.at(sums, codes, to_ints(pc.fill_null(rows["bytes"], 0)))
    is_unknown = marks(codes[to_bools(rows["bytes"].is_null())], len(keys))
    first = rows.take(pa.array(first_places(codes)))
    return first.set_column(first.column_names.index("bytes"), "bytes", pa.array(sums, mask=is_unknown)), keys
