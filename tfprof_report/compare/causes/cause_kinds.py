"""The kinds of causes of a change, and the cause of one layer's change, from the facts of both sides."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from math import prod
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
    OUTPUT_SIZE = "output size"  # another height, width or length of the output from the same input
    INPUT_SIZE = "input size"
    SEQUENCE = "sequence length"
    BATCH = "batch"
    DTYPE = "dtype"
    FUSED = "fused"
    UNFUSED = "unfused"
    OTHER_OPS = "other ops"
    ATTRIBUTES = "attributes"  # of ops, such as dilations, without a change of any shape or figure
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
    OUTSIDE = "outside of layers"  # no cause: what follows the others in nodes that are in no layer


@record
class Reason:
    """One kind of cause, with what it was on both sides, as words; empty where there is nothing to say.

    is_of_layers : these words are names of layers, not of ops
    """

    kind: CauseKind
    base: str = ""
    head: str = ""
    is_of_layers: bool = False


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
    param_bytes: int | None
    forward: int
    backward: int
    optimizer: int
    unknown: int
    attrs: int | None = None

    @property
    def computes(self) -> bool:
        """Whether it is more than a part of an optimizer."""
        return bool(self.ops or self.forward or self.backward or self.output)

    @property
    def is_contraction(self) -> bool:
        """Whether its main op multiplies with what variables usually hold."""
        return bool(self.op) and any(word in str(self.op) for word in ("MatMul", "Conv", "Einsum"))

    @property
    def is_window(self) -> bool:
        """Whether its main op slides a window over images or sequences."""
        return bool(self.op) and ("Conv" in str(self.op) or "Pool" in str(self.op))

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
            param_bytes=row[f"{side}_param_bytes"],
            forward=row[f"{side}_forward_float_ops"] or 0,
            backward=row[f"{side}_backward_float_ops"] or 0,
            optimizer=row[f"{side}_optimizer_float_ops"] or 0,
            unknown=row[f"{side}_unknown_float_ops"] or 0,
            attrs=row[f"{side}_attrs_digest"],
        )


@record
class Scales:
    """Sizes that changed somewhere in the model, as pairs of before and after: they explain the same pair elsewhere."""

    widths: frozenset[tuple[int, int]] = frozenset()
    batches: frozenset[tuple[int, int]] = frozenset()
    lengths: frozenset[tuple[int, int]] = frozenset()
    dtypes: frozenset[tuple[str, str]] = frozenset()


def scales_of(pairs: Iterable[tuple[Facts, Facts]]) -> Scales:
    """Return the sizes and types that variables, and outputs of three dimensions or more, of matched layers show."""
    widths, batches, lengths, dtypes = set(), set(), set(), set()
    for base, head in pairs:
        widths |= {(old[-1], new[-1]) for old, new in _paired_weights(base, head) if old[-1] != new[-1]}
        if base.dtype and head.dtype and base.dtype != head.dtype:
            dtypes.add((base.dtype, head.dtype))
        changed, rank = _changed_sizes(base.output, head.output), len(base.output or ())
        if rank >= _SEQUENCES and 0 in changed:
            batches.add(changed[0])
        if rank == _SEQUENCES and 1 in changed and not base.is_window:
            lengths.add(changed[1])
        if _paired_weights(base, head) and rank - 1 in changed and prod(base.output or ()) != prod(head.output or ()):
            widths.add(changed[rank - 1])
    return Scales(
        widths=frozenset(widths), batches=frozenset(batches), lengths=frozenset(lengths), dtypes=frozenset(dtypes)
    )


def reasons_of(base: Facts, head: Facts, scales: Scales) -> tuple[Reason, ...]:
    """Return why a matched layer changed, the most telling first; an unknown cause says so."""
    if not base.computes and not head.computes and base.weights == head.weights:
        return (Reason(kind=CauseKind.OPTIMIZER),)
    found = [
        *_unknown(base, head),
        *_of_weights(base, head, scales),
        *_of_ops(base, head, scales),
        *_of_shapes(base, head, scales),
    ]
    is_same_step = base.forward == head.forward and base.backward == head.backward
    if not found and is_same_step and (base.optimizer, base.params) != (head.optimizer, head.params):
        found.append(Reason(kind=CauseKind.OPTIMIZER))
    if not found and is_same_step and _has_other_attrs(base, head):
        found.append(Reason(kind=CauseKind.ATTRIBUTES))
    return tuple(dict.fromkeys(found)) or (Reason(kind=CauseKind.UNKNOWN),)


def has_other_facts(base: Facts, head: Facts) -> bool:
    """Return whether a layer differs in what it is, though its figures may be the same."""
    old, new = ((each.weights, each.ops, each.output, each.dtype) for each in (base, head))
    return old != new or (base.computes and _has_other_attrs(base, head))


def _has_other_attrs(base: Facts, head: Facts) -> bool:
    return base.attrs is not None and head.attrs is not None and base.attrs != head.attrs


def _unknown(base: Facts, head: Facts) -> list[Reason]:
    return [Reason(kind=CauseKind.NOW_UNKNOWN)] if head.unknown > base.unknown else []


def _of_weights(base: Facts, head: Facts, scales: Scales) -> list[Reason]:
    """Return what the shapes of variables tell: the first that differs, of the most dimensions."""
    if base.weights == head.weights or None in base.weights or None in head.weights:
        return []
    if bool(base.weights) != bool(head.weights):
        kind = CauseKind.SHARED if base.weights else CauseKind.UNSHARED
        return [Reason(kind=kind)] if base.is_contraction and head.is_contraction else []
    for old, new in sorted(_paired_weights(base, head), key=lambda pair: -len(pair[0])):
        if base.is_window and head.is_window and _changed_sizes(old[:-2], new[:-2]):
            return [Reason(kind=CauseKind.KERNEL, base=sizes(old[:-2]), head=sizes(new[:-2]))]
        changed = _changed_sizes(old, new)
        if not changed or (len(changed) > 1 and prod(old) == prod(new)):
            continue  # sizes that only one side knows, or the same numbers in another shape
        place, pair = _telling(changed, scales, len(old))
        if (
            place < len(old) - 1
            and base.is_contraction
            and base.output
            and head.output
            and base.output[-1:] == head.output[-1:]
        ):
            return [Reason(kind=CauseKind.OTHER_INPUT, base=f"{pair[0]:,}", head=f"{pair[1]:,}")]
        return [_width(pair)]
    return []


def _telling(changed: dict[int, tuple[int, int]], scales: Scales, rank: int) -> tuple[int, tuple[int, int]]:
    """Return the dimension of a variable that tells most: the last one, or one whose change others share."""
    if rank - 1 in changed:
        return rank - 1, changed[rank - 1]
    shared = [item for item in changed.items() if item[1] in scales.widths]
    return (shared or sorted(changed.items(), reverse=True))[0]


def _width(pair: tuple[int, int]) -> Reason:
    kind = CauseKind.WIDER if pair[1] > pair[0] else CauseKind.NARROWER
    return Reason(kind=kind, base=f"{pair[0]:,}", head=f"{pair[1]:,}")


def _of_ops(base: Facts, head: Facts, scales: Scales) -> list[Reason]:
    """Return what types and kinds of ops tell."""
    is_other_type = bool(base.dtype and head.dtype and base.dtype != head.dtype)
    if not is_other_type and base.params == head.params and base.param_bytes != head.param_bytes:
        is_other_type = bool(scales.dtypes)
    if is_other_type:
        known = base.dtype, head.dtype
        old, new = known if known in scales.dtypes else min(scales.dtypes)
        return [Reason(kind=CauseKind.DTYPE, base=old or "", head=new or "")]  # casts are part of it
    gone, come = base.ops - head.ops, head.ops - base.ops
    if not gone and not come:
        return []
    if base.weights and head.weights and not set(base.weights) & set(head.weights) and not _are_paired(base, head):
        return [Reason(kind=CauseKind.REPLACED)]
    fused = [any(op.startswith("_Fused") for op in ops) for ops in (gone, come)]
    kind = CauseKind.REPLACED if gone == base.ops and come == head.ops and gone and come else CauseKind.OTHER_OPS
    if fused[0] != fused[1]:
        kind = CauseKind.FUSED if fused[1] else CauseKind.UNFUSED
    return [Reason(kind=kind, base=_words(gone), head=_words(come))]


def _of_shapes(base: Facts, head: Facts, scales: Scales) -> list[Reason]:
    """Return what the shapes of outputs tell, or where these are the same, those of the main op's first input."""
    found = _of_sizes(base, head, base.output, head.output, scales)
    if found or base.output != head.output or not base.inputs or not head.inputs or base.is_window:
        return found
    return _of_sizes(base, head, base.inputs[0], head.inputs[0], scales)


def _of_sizes(base: Facts, head: Facts, was: Shape | None, now: Shape | None, scales: Scales) -> list[Reason]:
    changed, rank = _changed_sizes(was, now), len(was or ())
    found: list[Reason] = []
    if changed and prod(was or ()) == prod(now or ()):
        return found  # the same numbers in another shape
    first = changed.pop(0, None)
    if first and (first in scales.batches or (rank < _SEQUENCES and not scales.batches | scales.lengths)):
        found.append(Reason(kind=CauseKind.BATCH, base=f"{first[0]:,}", head=f"{first[1]:,}"))
    elif first and scales.lengths and rank < _SEQUENCES:
        found.append(_length(min(scales.lengths)))
    last = changed.get(rank - 1)
    if last and last in scales.widths and base.weights == head.weights:
        found.append(_width(changed.pop(rank - 1)))
    middle = {place: pair for place, pair in changed.items() if place < rank - 1 or rank == _SEQUENCES - 1}
    if middle and set(middle.values()) <= scales.lengths | scales.widths:
        lengths = sorted(set(middle.values()) & scales.lengths)
        found += [_length(lengths[0])] if lengths else []
    elif middle and rank >= _SEQUENCES:
        found.append(_of_extent(base, head, changed if rank == _SEQUENCES else middle))
    return found


def _length(pair: tuple[int, int]) -> Reason:
    return Reason(kind=CauseKind.SEQUENCE, base=f"{pair[0]:,}", head=f"{pair[1]:,}")


def _of_extent(base: Facts, head: Facts, changed: dict[int, tuple[int, int]]) -> Reason:
    """Return the cause of other heights, widths or lengths: another input, another stride, or else another output."""
    kind, given = CauseKind.INPUT_SIZE, base.inputs[0] if base.inputs else None
    if base.is_window and head.is_window and given is not None and head.inputs[:1] == (given,):
        is_stride = all(
            place < len(given) and all(_has_stride(given[place], size) for size in pair)
            for place, pair in changed.items()
        )
        kind = CauseKind.STRIDE if is_stride else CauseKind.OUTPUT_SIZE
    old, new = (sizes(pair[side] for pair in changed.values()) for side in (0, 1))
    return Reason(kind=kind, base=old, head=new)


def _has_stride(given: int, output: int) -> bool:
    """Return whether some stride gives this output with padding SAME: ceil(input / stride) (nn_ops.py)."""
    return output > 0 and -(-given // max(given // output, 1)) == output


def _are_paired(base: Facts, head: Facts) -> bool:
    """Return whether both sides have as many variables, of the same ranks, all of known shapes."""
    ranks = [[shape and len(shape) for shape in side.weights] for side in (base, head)]
    return ranks[0] == ranks[1] and None not in base.weights and None not in head.weights


def _paired_weights(base: Facts, head: Facts) -> list[tuple[Shape, Shape]]:
    """Return the shapes of the variables that changed, in pairs; nothing if their numbers or ranks differ."""
    if not _are_paired(base, head):
        return []
    pairs = zip(base.weights, head.weights, strict=True)
    return [(old, new) for old, new in pairs if old and new and old != new]


def _changed_sizes(base: Shape | None, head: Shape | None) -> dict[int, tuple[int, int]]:
    """Return by dimension the known sizes that differ; nothing for shapes of different ranks."""
    if base is None or head is None or len(base) != len(head):
        return {}
    pairs = enumerate(zip(base, head, strict=True))
    return {place: pair for place, pair in pairs if pair[0] != pair[1] and min(pair) >= 0}


def _shape(sizes_of: Sequence[int | None] | None) -> Shape | None:
    """Return a shape as numbers, -1 for a size that is not known."""
    return None if sizes_of is None else tuple(-1 if size is None else size for size in sizes_of)


def sizes(numbers: Iterable[int | None]) -> str:
    """Return sizes as people write them: ``3x3``, with ``?`` for one that is not known."""
    return "x".join("?" if size is None or size < 0 else str(size) for size in numbers)


def _words(ops: frozenset[str]) -> str:
    return ", ".join(sorted(ops))
