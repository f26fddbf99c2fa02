"""The kinds of causes of a change, and the cause of one layer's change, from the facts of both sides."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Any

from tfprof_report.record import record

Shape = tuple[int, ...]

_SEQUENCES = 3
"""The rank of tensors of batch, length and width; images have more dimensions."""


class CauseKind(StrEnum):
    """Why figures of layers changed."""

    WIDER = "wider"
    NARROWER = "narrower"
    OTHER_INPUT = "other input"  # the layer before it became wider or narrower
    KERNEL = "kernel"
    STRIDE = "stride"
    INPUT_SIZE = "input size"
    SEQUENCE = "sequence length"
    BATCH = "batch"
    DTYPE = "dtype"
    FUSED = "fused"
    UNFUSED = "unfused"
    REPLACED = "replaced"
    ADDED = "added"
    REMOVED = "removed"
    DEEPER = "deeper"
    SHALLOWER = "shallower"
    SHARED = "weights shared"
    UNSHARED = "weights no longer shared"
    OPTIMIZER = "optimizer"
    NOW_UNKNOWN = "now unknown"
    NAMES = "names only"
    UNKNOWN = "unknown"


@record
class Reason:
    """One kind of cause, with what it was on both sides, as words; empty where there is nothing to say."""

    kind: CauseKind
    base: str = ""
    head: str = ""


@record
class Facts:
    """What is known of a layer on one side.

    weights : shapes of its variables without those of optimizers; None for one that is not known
    ops : its forward op types with arithmetic
    output, inputs : shapes of its output, and of the inputs of its main op
    """

    weights: tuple[Shape | None, ...]
    ops: frozenset[str]
    output: Shape | None
    inputs: tuple[Shape | None, ...]
    op: str | None
    dtype: str | None
    params: int | None
    forward: int
    backward: int
    optimizer: int
    unknown: int

    @classmethod
    def of(cls, row: dict[str, Any], side: str) -> Facts:
        """Return the facts of one side in a row of diff_layers.parquet."""
        return cls(
            weights=tuple(map(_shape, row[f"{side}_weights"] or ())),
            ops=frozenset(row[f"{side}_ops"] or ()),
            output=_shape(row[f"{side}_output_shape"]),
            inputs=tuple(map(_shape, row[f"{side}_op_input_shapes"] or ())),
            op=row[f"{side}_op"],
            dtype=row[f"{side}_dtype"],
            params=row[f"{side}_params"],
            forward=row[f"{side}_forward_float_ops"] or 0,
            backward=row[f"{side}_backward_float_ops"] or 0,
            optimizer=row[f"{side}_optimizer_float_ops"] or 0,
            unknown=row[f"{side}_unknown_float_ops"] or 0,
        )


@record
class Scales:
    """Sizes that changed somewhere in the model, as pairs of before and after: they explain the same pair elsewhere."""

    widths: frozenset[tuple[int, int]]
    batches: frozenset[tuple[int, int]]
    lengths: frozenset[tuple[int, int]]


def scales_of(pairs: Iterable[tuple[Facts, Facts]]) -> Scales:
    """Return the sizes that the variables, and the outputs of three dimensions or more, of matched layers show."""
    widths, batches, lengths = set(), set(), set()
    for base, head in pairs:
        for old, new in _paired_weights(base, head):
            if old[-1] != new[-1]:
                widths.add((old[-1], new[-1]))
        changed = _changed_sizes(base.output, head.output)
        if base.output and len(base.output) >= _SEQUENCES:
            batches |= {changed[0]} if 0 in changed else set()
            middle = {pair for place, pair in changed.items() if 0 < place < len(base.output) - 1}
            lengths |= middle if len(base.output) == _SEQUENCES else set()
    return Scales(widths=frozenset(widths), batches=frozenset(batches), lengths=frozenset(lengths))


def reasons_of(base: Facts, head: Facts, scales: Scales) -> tuple[Reason, ...]:
    """Return why a matched layer changed, the most telling first; an unknown cause says so."""
    found = [*_unknown(base, head), *_of_weights(base, head), *_of_ops(base, head), *_of_shapes(base, head, scales)]
    is_same_step = base.forward == head.forward and base.backward == head.backward
    if not found and is_same_step and (base.optimizer, base.params) != (head.optimizer, head.params):
        found.append(Reason(kind=CauseKind.OPTIMIZER))
    return tuple(dict.fromkeys(found)) or (Reason(kind=CauseKind.UNKNOWN),)


def _unknown(base: Facts, head: Facts) -> list[Reason]:
    return [Reason(kind=CauseKind.NOW_UNKNOWN)] if head.unknown > base.unknown else []


def _of_weights(base: Facts, head: Facts) -> list[Reason]:
    """Return what the shapes of variables tell."""
    if base.weights == head.weights or None in base.weights or None in head.weights:
        return []
    pairs = _paired_weights(base, head)
    if not pairs:
        if base.weights and head.weights:
            return []  # another number of variables: the ops tell more
        kind = CauseKind.SHARED if base.weights else CauseKind.UNSHARED
        return [Reason(kind=kind)] if base.forward == head.forward else []
    found = []
    for old, new in sorted(pairs, key=lambda pair: -len(pair[0])):
        if old[:-2] != new[:-2]:
            found.append(Reason(kind=CauseKind.KERNEL, base=sizes(old[:-2]), head=sizes(new[:-2])))
        if old[-1] != new[-1]:
            kind = CauseKind.WIDER if new[-1] > old[-1] else CauseKind.NARROWER
            found.append(Reason(kind=kind, base=f"{old[-1]:,}", head=f"{new[-1]:,}"))
        elif len(old) > 1 and old[-2] != new[-2]:
            found.append(Reason(kind=CauseKind.OTHER_INPUT, base=f"{old[-2]:,}", head=f"{new[-2]:,}"))
    return found[:1]


def _of_ops(base: Facts, head: Facts) -> list[Reason]:
    """Return what types and kinds of ops tell."""
    found = []
    if base.dtype != head.dtype and base.dtype and head.dtype:
        found.append(Reason(kind=CauseKind.DTYPE, base=base.dtype, head=head.dtype))
    gone, come = base.ops - head.ops, head.ops - base.ops
    if gone or come:
        fused = [[op for op in ops if "Fused" in op] for ops in (gone, come)]
        if bool(fused[0]) != bool(fused[1]):
            kind = CauseKind.FUSED if fused[1] else CauseKind.UNFUSED
            found.append(Reason(kind=kind, base=_words(gone), head=_words(come)))
        elif not found:  # a cast is part of another type
            found.append(Reason(kind=CauseKind.REPLACED, base=_words(gone), head=_words(come)))
    return found


def _of_shapes(base: Facts, head: Facts, scales: Scales) -> list[Reason]:
    """Return what the shapes of outputs and inputs tell of a layer whose variables kept theirs."""
    changed = _changed_sizes(base.output, head.output)
    rank = len(base.output or ())
    found = []
    for place, pair in changed.items():
        old, new = f"{pair[0]:,}", f"{pair[1]:,}"
        if place == 0 and (pair in scales.batches or rank == 1 or not scales.lengths):
            found.append(Reason(kind=CauseKind.BATCH, base=old, head=new))
        elif pair in scales.widths and base.weights == head.weights:
            kind = CauseKind.WIDER if pair[1] > pair[0] else CauseKind.NARROWER
            found.append(Reason(kind=kind, base=old, head=new))
    middle = {place: pair for place, pair in changed.items() if place > 0 and pair not in scales.widths}
    if middle and rank >= _SEQUENCES and any(place < rank - 1 for place in middle):
        found.append(_of_extent(base, head, middle, rank))
    elif 0 in changed and not found:
        (old_length, new_length), *_ = sorted(scales.lengths)
        found.append(Reason(kind=CauseKind.SEQUENCE, base=f"{old_length:,}", head=f"{new_length:,}"))
    return found


def _of_extent(base: Facts, head: Facts, middle: dict[int, tuple[int, int]], rank: int) -> Reason:
    """Return the cause of other heights, widths or lengths of an output."""
    old, new = (sizes([pair[side] for pair in middle.values()]) for side in (0, 1))
    is_same_input = bool(base.inputs) and base.inputs[:1] == head.inputs[:1] and base.inputs[0] is not None
    if is_same_input:
        return Reason(kind=CauseKind.STRIDE, base=old, head=new)
    lengths = set(middle.values())
    if rank == _SEQUENCES or (len(lengths) == 1 and any(len(shape or ()) == _SEQUENCES for shape in base.inputs)):
        pair = next(iter(lengths))
        return Reason(kind=CauseKind.SEQUENCE, base=f"{pair[0]:,}", head=f"{pair[1]:,}")
    return Reason(kind=CauseKind.INPUT_SIZE, base=old, head=new)


def _paired_weights(base: Facts, head: Facts) -> list[tuple[Shape, Shape]]:
    """Return the shapes of the variables that changed, in pairs; nothing if their numbers or ranks differ."""
    old, new = base.weights, head.weights
    if len(old) != len(new) or None in old or None in new:
        return []
    pairs = [(one, other) for one, other in zip(old, new, strict=True) if one is not None and other is not None]
    if any(len(one) != len(other) for one, other in pairs):
        return []
    return [(one, other) for one, other in pairs if one != other and one]


def _changed_sizes(base: Shape | None, head: Shape | None) -> dict[int, tuple[int, int]]:
    """Return by dimension the known sizes that differ; nothing for shapes of different ranks."""
    if base is None or head is None or len(base) != len(head):
        return {}
    pairs = enumerate(zip(base, head, strict=True))
    return {place: pair for place, pair in pairs if pair[0] != pair[1] and min(pair) >= 0}


def _shape(sizes_of: Sequence[int] | None) -> Shape | None:
    return None if sizes_of is None else tuple(sizes_of)


def sizes(numbers: Iterable[int]) -> str:
    """Return sizes as people write them: ``3x3``."""
    return "x".join(map(str, numbers))


def _words(ops: frozenset[str]) -> str:
    return ", ".join(sorted(ops))
