"""Splits a change by its causes, layer by layer: the parts add up exactly to the change of each figure.

A layer that only one side has is a cause by itself; of a matched layer the facts of both sides tell why it changed.
Layers with the same cause are one part.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.compare.causes.blocks import Blocks
from tfprof_report.compare.causes.cause_kinds import CauseKind, Facts, Reason, Scales, reasons_of, scales_of
from tfprof_report.compare.comparison import SAME, Comparison, RowStatus
from tfprof_report.compare.delta import moved_by
from tfprof_report.record import record
from tfprof_report.schema.metrics import METRICS, Kind, Number

STEMS = tuple(stem for stem, metric in METRICS.items() if metric.kind is Kind.STATIC)
"""The figures that causes explain: those of the graph. Times and memory differ from run to run."""

_Key = tuple[tuple[Reason, ...], tuple[str, ...]]
_WIDTHS = (CauseKind.WIDER, CauseKind.NARROWER)

_MOST = 20_000
"""Most changed layers whose causes are looked for; the others are of an unknown cause."""


@record
class LayerCause:
    """One cause, and the part of the change that the layers with it make up.

    reasons : why, the most telling first
    layers : the layers, in the order of head, those of base alone in its order
    followers : of `layers`, those that changed only because of the others: they get a wider or narrower input
    beside : of layers that are more or fewer of a kind, the others of the kind
    parts : by stem of `STEMS` the change in these layers, where a side that lacks a layer counts as 0; a figure that is
        not known on both sides is left out
    open : by stem the number of these layers whose change is not known
    code_line : where the model's code makes the first of them, if it is known
    """

    reasons: tuple[Reason, ...]
    layers: tuple[str | None, ...]
    parts: dict[str, Number]
    open: dict[str, int]
    followers: tuple[str | None, ...] = ()
    beside: tuple[str, ...] = ()
    code_line: str | None = None

    @property
    def kind(self) -> CauseKind:
        """The most telling kind."""
        return self.reasons[0].kind


def find_causes(comparison: Comparison) -> tuple[LayerCause, ...]:
    """Return the causes of a change, the one with the largest part of FLOPs first; empty if no layer changed."""
    table = comparison.layers
    if not table.num_rows:
        return ()
    rows = table.filter(_is_changed(table))
    if not rows.num_rows:
        return ()
    found = rows.slice(0, _MOST).to_pylist()
    blocks = Blocks.of(comparison)
    pairs = {place: _facts(row) for place, row in enumerate(found) if _is_matched(row)}
    scales = scales_of(pairs.values())
    groups: dict[_Key, list[int]] = {}
    replaced = blocks.replaced()
    for place, row in enumerate(found):
        facts = pairs.get(place)
        key = _key(row, facts, scales) if facts else _key_alone(row, blocks, replaced)
        groups.setdefault(key, []).append(place)
    if rows.num_rows > _MOST:
        groups.setdefault(((Reason(kind=CauseKind.UNKNOWN),), ()), []).extend(range(_MOST, rows.num_rows))
    groups, followers = _with_followers(groups)
    content = _Content(
        names=pc.coalesce(rows["layer"], rows["base_layer"]).to_pylist(),
        lines=rows["code_line"].to_pylist(),
        changes={stem: _changes(rows, stem) for stem in STEMS if f"delta_{stem}" in rows.column_names},
    )
    causes = [_cause(key, members, followers.get(key, ()), content) for key, members in groups.items()]
    return tuple(sorted(causes, key=_rank))


def _rank(cause: LayerCause) -> tuple[Any, ...]:
    return (
        *(-abs(cause.parts.get(stem, 0)) for stem in ("float_ops", "params")),
        -sum(cause.open.values()),
        -len(cause.layers),
        cause.layers[0] or "",
    )


def _changes(rows: pa.Table, stem: str) -> list[Number | None]:
    """Return the change of a figure in each row, None where it is not known; 0 where both sides are equal."""
    is_same = pc.is_in(rows[f"state_{stem}"].cast(pa.string()), value_set=pa.array([str(state) for state in SAME]))
    moved = moved_by(rows, stem)
    changes: list[Number | None] = pc.if_else(is_same, pc.fill_null(moved, 0), moved).to_pylist()
    return changes


def _is_changed(table: pa.Table) -> pa.ChunkedArray:
    """Return the layers of one side alone, those with another name, and those with a figure that is not the same."""
    one_sided = pc.is_in(table["status"].cast(pa.string()), value_set=pa.array([RowStatus.NEW, RowStatus.REMOVED]))
    other_name = pc.fill_null(pc.not_equal(table["layer"], table["base_layer"]), fill_value=False)
    found = pc.or_(one_sided, other_name)
    same = pa.array([str(state) for state in SAME])
    for stem in STEMS:
        if f"state_{stem}" in table.column_names:
            state = table[f"state_{stem}"].cast(pa.string())
            found = pc.or_(found, pc.and_(state.is_valid(), pc.invert(pc.is_in(state, value_set=same))))
    return found


def _is_matched(row: Mapping[str, Any]) -> bool:
    return row["status"] not in (RowStatus.NEW, RowStatus.REMOVED)


def _facts(row: dict[str, Any]) -> tuple[Facts, Facts]:
    return Facts.of(row, "base"), Facts.of(row, "head")


def _key(row: Mapping[str, Any], facts: tuple[Facts, Facts], scales: Scales) -> _Key:
    """Return the reasons of a changed layer."""
    return ((Reason(kind=CauseKind.NAMES),) if _has_same_figures(row) else reasons_of(*facts, scales)), ()


def _key_alone(row: Mapping[str, Any], blocks: Blocks, replaced: Mapping[str, str]) -> _Key:
    """Return the reasons of a layer that one side alone has, and what is beside it of its kind."""
    name = row["layer"] or row["base_layer"]
    is_new = row["status"] == RowStatus.NEW
    block = blocks.block(name, is_new=is_new) if name else ""
    if block in replaced:
        old, new = (replaced[block], block) if is_new else (block, replaced[block])
        return (Reason(kind=CauseKind.REPLACED, base=old, head=new),), ()
    beside = blocks.beside(block, is_new=is_new) if name else ()
    kinds = (CauseKind.DEEPER, CauseKind.ADDED) if is_new else (CauseKind.SHALLOWER, CauseKind.REMOVED)
    kind = kinds[0] if beside else kinds[1]
    return (Reason(kind=kind, head=block) if is_new else Reason(kind=kind, base=block),), beside


def _has_same_figures(row: Mapping[str, Any]) -> bool:
    states = (row.get(f"state_{stem}") for stem in STEMS)
    return all(state is None or state in SAME for state in states)


def _with_followers(groups: dict[_Key, list[int]]) -> tuple[dict[_Key, list[int]], dict[_Key, list[int]]]:
    """Return the groups, with layers that only got another input in the group of those that made it wider."""
    sizes = {(key[0][0].base, key[0][0].head): key for key in groups if key[0][0].kind in _WIDTHS}
    found: dict[_Key, list[int]] = {}
    followers: dict[_Key, list[int]] = {}
    for key, members in groups.items():
        reason = key[0][0]
        into = sizes.get((reason.base, reason.head)) if reason.kind is CauseKind.OTHER_INPUT else None
        found.setdefault(into or key, []).extend(members)
        if into:
            followers.setdefault(into, []).extend(members)
    return found, followers


@record
class _Content:
    """The changed layers: names, lines of code, and the change of each figure."""

    names: Sequence[str | None]
    lines: Sequence[str | None]
    changes: Mapping[str, Sequence[Number | None]]


def _cause(key: _Key, members: Sequence[int], followers: Sequence[int], content: _Content) -> LayerCause:
    names, lines = content.names, content.lines
    parts, missing = {}, {}
    for stem, values in content.changes.items():
        known = [value for value in (values[place] for place in members) if value is not None]
        parts[stem] = sum(known)
        missing[stem] = len(members) - len(known)
    reasons, beside = key
    return LayerCause(
        reasons=reasons,
        layers=tuple(names[place] for place in sorted(members)),
        followers=tuple(names[place] for place in sorted(followers)),
        parts={stem: part for stem, part in parts.items() if part},
        open={stem: count for stem, count in missing.items() if count},
        beside=beside,
        code_line=next((lines[place] for place in members if lines[place]), None),
    )
