"""Splits a change by its causes, layer by layer: the parts add up exactly to the change of each figure.

A layer that only one side has is a cause by itself; of a matched layer the facts of both sides tell why it changed.
Layers with the same cause are one part.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Hashes, to_bools, to_ints
from tfprof_report.compare.causes.blocks import Blocks, is_doubtful
from tfprof_report.compare.causes.cause_kinds import (
    CauseKind,
    Facts,
    Reason,
    Scales,
    has_other_facts,
    reasons_of,
    scales_of,
)
from tfprof_report.compare.comparison import SAME, Comparison, RowStatus
from tfprof_report.compare.delta import moved_by
from tfprof_report.compare.matching.structure import hash_lists
from tfprof_report.record import record
from tfprof_report.schema.metrics import METRICS, Kind, Number

STEMS = tuple(stem for stem, metric in METRICS.items() if metric.kind is Kind.STATIC)
"""The figures that causes explain: those of the graph. Times and memory differ from run to run."""

_Key = tuple[tuple[Reason, ...], str]
_ONE_SIDED = (RowStatus.NEW, RowStatus.REMOVED)

_NAMED = 3
"""Most blocks that a replacement names on each side."""

_FOLLOWING = (CauseKind.OTHER_INPUT, CauseKind.INPUT_SIZE, CauseKind.NAMES, CauseKind.UNKNOWN, CauseKind.OUTSIDE)
"""Kinds that may be the result of others, so that they come after them."""

_WIDTHS = (CauseKind.WIDER, CauseKind.NARROWER)

_MOST = 20_000
"""Most changed layers whose causes are looked for; the others are of an unknown cause."""


@record
class LayerCause:
    """One cause, and the part of the change that the layers with it make up.

    reasons : why, the most telling first
    layers : the layers, in the order of head, those of base alone in its order
    followers : of `layers`, those that changed only because of the others: they get a wider or narrower input
    stem : of layers that are more or fewer of a kind, what is before the number that counts them, with ``#`` for it
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
    stem: str = ""
    code_line: str | None = None

    @property
    def kind(self) -> CauseKind:
        """The most telling kind."""
        return self.reasons[0].kind


def find_causes(comparison: Comparison) -> tuple[LayerCause, ...]:
    """Return the causes of a change, those that others may follow from first, with the largest part of FLOPs first.

    Empty if no layer changed.
    """
    rows = comparison.layers.filter(_is_changed(comparison.layers))
    if not rows.num_rows:
        return tuple(_renames(comparison, ()))
    content = _Content(
        names=pc.coalesce(rows["layer"], rows["base_layer"]).to_pylist(),
        lines=rows["code_line"].to_pylist(),
        changes={stem: _changes(rows, stem) for stem in STEMS if f"delta_{stem}" in rows.column_names},
    )
    groups = _group(rows.slice(0, _MOST).to_pylist(), comparison)
    if rows.num_rows > _MOST:
        groups.setdefault(((Reason(kind=CauseKind.UNKNOWN),), ""), []).extend(range(_MOST, rows.num_rows))
    has_weights = to_bools(pc.fill_null(pc.greater(pc.list_value_length(rows["head_weights"]), 0), fill_value=False))
    groups, followers = _with_followers(groups, has_weights)
    found = _worth_saying([_cause(key, members, followers.get(key, ()), content) for key, members in groups.items()])
    renames = () if any(cause.kind is CauseKind.NAMES for cause in found) else tuple(_renames(comparison, found))
    return (*sorted(found, key=_rank), *renames)


def _worth_saying(causes: list[LayerCause]) -> list[LayerCause]:
    """Return the causes without those that tell nothing: attributes of ops beside others, and no change in no layer."""
    told = [cause for cause in causes if cause.parts or cause.open or cause.kind is not CauseKind.OUTSIDE]
    others = [cause for cause in told if cause.kind not in (CauseKind.ATTRIBUTES, CauseKind.OUTSIDE)]
    return [cause for cause in told if not others or cause.kind is not CauseKind.ATTRIBUTES]


def _renames(comparison: Comparison, found: Sequence[LayerCause]) -> Iterator[LayerCause]:
    """Yield the renamed scopes, if no layer has another name: what all layers are in was renamed."""
    for line in comparison.matching.renames[:1]:
        if found and 2 * line.nodes < comparison.matched_nodes:
            return  # not what all layers are in
        yield LayerCause(
            reasons=(Reason(kind=CauseKind.NAMES, base=line.base, head=line.head),), layers=(), parts={}, open={}
        )


def _group(rows: list[dict[str, Any]], comparison: Comparison) -> dict[_Key, list[int]]:
    """Return the changed layers by their causes."""
    alone = [place for place, row in enumerate(rows) if row["status"] in _ONE_SIDED or is_doubtful(row)]
    facts = {place: (Facts.of(row, "base"), Facts.of(row, "head")) for place, row in enumerate(rows)}
    met, keys = _of_one_side(rows, facts, alone, comparison) if alone else ({}, {})
    pairs = {**facts, **met}
    scales = scales_of(both for place, both in pairs.items() if place not in keys)
    one_sided = set(alone)
    groups: dict[_Key, list[int]] = {}
    for place, row in enumerate(rows):
        if place not in one_sided and row["layer"] == row["base_layer"] and _is_same(row, pairs[place]):
            continue
        key = keys.get(place) or _key(row, pairs[place], scales)
        groups.setdefault(key, []).append(place)
    return _with_optimizer(groups, _trained(comparison))


_Pair = tuple[Facts, Facts]


def _of_one_side(
    rows: list[dict[str, Any]], facts: Mapping[int, _Pair], alone: Sequence[int], comparison: Comparison
) -> tuple[dict[int, _Pair], dict[int, _Key]]:
    """Return the layers of one side that met one of the other between the same neighbours, and the causes of others."""
    blocks = Blocks.of(comparison)
    olds = {rows[place]["base_layer"]: place for place in alone if rows[place]["base_layer"] is not None}
    news = {rows[place]["layer"]: place for place in alone if rows[place]["status"] != RowStatus.REMOVED}
    pairs: dict[int, _Pair] = {}
    keys: dict[int, _Key] = {}
    for old_layers, new_layers in blocks.gaps():
        if not all(name in olds for name in old_layers) or not all(name in news for name in new_layers):
            continue  # beyond the limit
        old, new = [olds[name] for name in old_layers], [news[name] for name in new_layers]
        met = [(facts[one][0], facts[other][1]) for one, other in zip(old, new, strict=False)]
        if len(old) == len(new) and all(_are_of_one_kind(*each) and each[0].computes for each in met):
            pairs |= dict(zip(old, met, strict=True)) | dict(zip(new, met, strict=True))
            continue
        words = _names(blocks, old_layers, is_new=False), _names(blocks, new_layers, is_new=True)
        if not any(facts[place][0].computes for place in old) and not any(facts[place][1].computes for place in new):
            reason = Reason(kind=CauseKind.OPTIMIZER, base=words[0], head=words[1])
        elif not any(blocks.unit(name, is_new=True) for name in new_layers):
            reason = Reason(kind=CauseKind.REPLACED, base=words[0], head=words[1], is_of_layers=True)
        else:
            continue
        keys |= dict.fromkeys((*old, *new), ((reason,), ""))
    others = (place for place in alone if place not in pairs and place not in keys)
    return pairs, {**keys, **{place: _key_alone(rows[place], blocks) for place in others}}


def _with_optimizer(groups: dict[_Key, list[int]], trained: int) -> dict[_Key, list[int]]:
    """Return the groups, with one for the optimizer: what it changes in one layer it changes in most that it trains."""
    keys = [key for key in groups if key[0][0].kind is CauseKind.OPTIMIZER]
    if not keys:
        return groups
    members = sorted(place for key in keys for place in groups[key])
    named = next((key for key in keys if key[0][0].base or key[0][0].head), None)
    is_it = named or 2 * len(members) >= trained
    key = named or keys[0] if is_it else ((Reason(kind=CauseKind.UNKNOWN),), "")
    others = {each: rows for each, rows in groups.items() if each not in keys}
    return {**others, key: sorted({*others.get(key, ()), *members})}


def _trained(comparison: Comparison) -> int:
    """Return how many layers of head an optimizer updates."""
    return int(pc.sum(pc.greater(comparison.head.layers["optimizer_float_ops"], 0)).as_py() or 0)


def _are_of_one_kind(base: Facts, head: Facts) -> bool:
    """Return whether two layers have the same op, and variables of the same ranks."""
    ranks = [[len(shape or ()) for shape in side.weights] for side in (base, head)]
    return base.op == head.op and ranks[0] == ranks[1]


def _names(blocks: Blocks, layers: Sequence[str], *, is_new: bool) -> str:
    """Return the blocks of layers as words."""
    names = dict.fromkeys(blocks.block(layer, is_new=is_new) for layer in layers)
    first = list(names)[:_NAMED]
    return ", ".join(first) + (f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else "")


def _rank(cause: LayerCause) -> tuple[Any, ...]:
    return (
        cause.kind in _FOLLOWING,
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
    """Return the layers of one side alone, and those whose name, figures or facts are not the same on both."""
    one_sided = pc.is_in(table["status"].cast(pa.string()), value_set=pa.array(_ONE_SIDED))
    found = pc.or_(one_sided, pc.fill_null(pc.not_equal(table["layer"], table["base_layer"]), fill_value=False))
    same = pa.array([str(state) for state in SAME])
    for stem in STEMS:
        if f"state_{stem}" in table.column_names:
            state = table[f"state_{stem}"].cast(pa.string())
            found = pc.or_(found, pc.and_(state.is_valid(), pc.invert(pc.is_in(state, value_set=same))))
    for fact in ("ops", "dtype", "weights", "output_shape", "attrs_digest"):
        found = pc.or_(found, pa.array(_codes(table[f"base_{fact}"]) != _codes(table[f"head_{fact}"])))
    return found


def _codes(column: pa.ChunkedArray) -> Hashes:
    """Return numbers that are equal for equal values."""
    whole = column.combine_chunks()
    if pa.types.is_integer(whole.type):
        return to_ints(pc.fill_null(whole, 0)).view(np.uint64)
    if not pa.types.is_list(whole.type):
        return _hash_words(whole.cast(pa.string()))
    is_text = pa.types.is_string(whole.type.value_type)
    return _hash_words(pc.binary_join(whole, ",")) if is_text else hash_lists(whole)


def _hash_words(words: pa.StringArray) -> Hashes:
    coded = words.dictionary_encode()
    numbers = [int.from_bytes(blake2b(word.encode(), digest_size=8).digest()) for word in coded.dictionary.to_pylist()]
    return np.array([*numbers, 0], dtype=np.uint64)[to_ints(pc.fill_null(coded.indices, len(numbers)))]


def _key(row: Mapping[str, Any], facts: tuple[Facts, Facts], scales: Scales) -> _Key:
    """Return the reasons of a changed layer; a change outside of layers is part of no cause unless it tells one."""
    if _is_same(row, facts):
        return (Reason(kind=CauseKind.NAMES),), ""
    reasons = reasons_of(*facts, scales)
    if row["layer"] is None and not any(reason.kind is CauseKind.NOW_UNKNOWN for reason in reasons):
        reasons = (Reason(kind=CauseKind.OUTSIDE),)
    return reasons, ""


def _is_same(row: Mapping[str, Any], facts: tuple[Facts, Facts]) -> bool:
    """Return whether a layer differs in nothing but its name."""
    return facts[0] == facts[1] or (_has_same_figures(row) and not has_other_facts(*facts))


def _key_alone(row: Mapping[str, Any], blocks: Blocks) -> _Key:
    """Return the reasons of a layer that one side alone has; the stem of its unit if it is one of several alike.

    One with a doubtful partner is in the place of another layer.
    """
    if row["status"] not in _ONE_SIDED and row["layer"] is not None and row["base_layer"] is not None:
        reason = Reason(kind=CauseKind.REPLACED, base=row["base_layer"], head=row["layer"], is_of_layers=True)
        return (reason,), ""
    is_new = row["status"] == RowStatus.NEW
    name = row["layer"] if is_new else row["base_layer"]
    if name is None:
        return (Reason(kind=CauseKind.OUTSIDE),), ""
    unit = blocks.unit(name, is_new=is_new)
    if unit:
        return (Reason(kind=CauseKind.DEEPER if is_new else CauseKind.SHALLOWER),), unit.stem
    block = blocks.block(name, is_new=is_new)
    kind = CauseKind.ADDED if is_new else CauseKind.REMOVED
    return (Reason(kind=kind, base="" if is_new else block, head=block if is_new else ""),), ""


def _has_same_figures(row: Mapping[str, Any]) -> bool:
    states = (row.get(f"state_{stem}") for stem in STEMS)
    return row["status"] not in _ONE_SIDED and all(state is None or state in SAME for state in states)


def _with_followers(
    groups: dict[_Key, list[int]], has_weights: Bools
) -> tuple[dict[_Key, list[int]], dict[_Key, list[int]]]:
    """Return the groups, and in each the layers that only follow others.

    These are layers without variables beside some that have them; layers that only got another input are in the group
    of those that made it wider.
    """
    sizes = {(key[0][0].base, key[0][0].head): key for key in groups if key[0][0].kind in _WIDTHS}
    found: dict[_Key, list[int]] = {}
    followers: dict[_Key, list[int]] = {}
    for key, members in groups.items():
        reason = key[0][0]
        into = sizes.get((reason.base, reason.head)) if reason.kind is CauseKind.OTHER_INPUT else None
        found.setdefault(into or key, []).extend(members)
        bare = [place for place in members if not has_weights[place]]
        if into or (reason.kind in _WIDTHS and len(bare) < len(members)):
            followers.setdefault(into or key, []).extend(members if into else bare)
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
    reasons, stem = key
    return LayerCause(
        reasons=reasons,
        layers=tuple(names[place] for place in sorted(members)),
        followers=tuple(names[place] for place in sorted(followers)),
        parts={stem: part for stem, part in parts.items() if part},
        open={stem: count for stem, count in missing.items() if count},
        stem=stem,
        code_line=next((lines[place] for place in members if lines[place]), None),
    )
