"""Says why a model changed, in one sentence made from its causes."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pyarrow.compute as pc

from tfprof_report.compare.causes.cause_kinds import CauseKind, Reason
from tfprof_report.compare.causes.folded_names import FoldedNames
from tfprof_report.compare.causes.layer_causes import LayerCause
from tfprof_report.compare.comparison import Comparison
from tfprof_report.formatting import plural
from tfprof_report.schema.metrics import Number

_LEAST = 0.05
"""Share of all that moved from which on a cause is part of the sentence."""

_CLAUSES = 3
"""Most causes in the sentence."""

_SENTENCES = {
    CauseKind.WIDER: "{layers} got wider ({base} to {head})",
    CauseKind.NARROWER: "{layers} got narrower ({base} to {head})",
    CauseKind.OTHER_INPUT: "{layers} got {head} instead of {base} inputs",
    CauseKind.KERNEL: "the kernel of {layers} is {head} instead of {base}",
    CauseKind.STRIDE: "{layers} got another stride (output {head} instead of {base})",
    CauseKind.OUTPUT_SIZE: "the output of {layers} is {head} instead of {base} from the same input",
    CauseKind.INPUT_SIZE: "the input of {layers} is {head} instead of {base}",
    CauseKind.SEQUENCE: "the sequence length is {head} instead of {base}",
    CauseKind.BATCH: "the batch is {head} instead of {base}",
    CauseKind.DTYPE: "{layers} compute in {head} instead of {base}",
    CauseKind.FUSED: "the ops of {layers} are fused",
    CauseKind.UNFUSED: "the ops of {layers} are no longer fused",
    CauseKind.ATTRIBUTES: "ops of {layers} have other attributes, at the same cost",
    CauseKind.SHARED: "the weights of {layers} are no longer its own",
    CauseKind.UNSHARED: "the weights of {layers} are its own now",
    CauseKind.NOW_UNKNOWN: "the FLOPs of {layers} are not known any more",
    CauseKind.ADDED: "{head} is new",
    CauseKind.REMOVED: "{base} was removed",
    CauseKind.REPLACED: "{layers} was replaced by another kind of layer",
    CauseKind.OTHER_OPS: "the ops of {layers} changed",
    CauseKind.OPTIMIZER: "the optimizer changed",
    CauseKind.NAMES: "{count} other names",
    CauseKind.UNKNOWN: "{layers} changed for a reason that the graphs do not show",
    CauseKind.OUTSIDE: "nodes that are in no layer changed",
}

"""What each kind of cause did, for the layers with it."""

_NAMED = {
    CauseKind.REPLACED: "{base} was replaced by {head}",
    CauseKind.OPTIMIZER: "the optimizer is {head} instead of {base}",
    CauseKind.NAMES: "names begin with {head} instead of {base}",
}
"""The same where both sides have a name for it."""


def say_why(comparison: Comparison, causes: Sequence[LayerCause], stems: Sequence[str]) -> str:
    """Return why a model changed; empty if nothing did.

    Parameters
    ----------
    stems : the figures that matter, the most important first: the causes of the first one that changed are named
    """
    if not causes:
        return ""
    names = Names(comparison)
    stem = next((each for each in stems if any(cause.parts.get(each) for cause in causes)), None)
    moved = sum(abs(cause.parts.get(stem or "", 0)) for cause in causes)
    told = [cause for cause in causes if _counts(cause, stem, moved) or len(causes) == 1]
    clauses = list(dict.fromkeys(names.clause(cause) for cause in told[:_CLAUSES]))
    rest = sum(cause not in told[:_CLAUSES] and cause.kind is not CauseKind.OUTSIDE for cause in causes)
    if not clauses:
        return ""
    text = "; ".join([*clauses, *([plural(rest, "smaller change")] if rest else [])])
    return f"{text}."


def _counts(cause: LayerCause, stem: str | None, moved: Number) -> bool:
    """Return whether a cause belongs into the sentence: for its part of a figure, or because a figure got lost."""
    if cause.kind is CauseKind.NOW_UNKNOWN or cause.open:
        return True
    if stem is None:
        return cause.kind is not CauseKind.OUTSIDE
    return abs(cause.parts.get(stem, 0)) >= _LEAST * moved


class Names:
    """Words for the layers of a comparison."""

    def __init__(self, comparison: Comparison) -> None:
        sides = [side.layers for side in (comparison.base, comparison.head)]
        weighted = [side.filter(pc.greater(pc.list_value_length(side["weights"]), 0)) for side in sides]
        self._sides = [FoldedNames(side["layer"].to_pylist()) for side in sides]
        self._with_weights = [FoldedNames(side["layer"].to_pylist()) for side in weighted]

    def layers(self, cause: LayerCause) -> str:
        """Return words for the layers of a cause, without those that only follow."""
        if _is_outside(cause):
            return _OUTSIDE
        followers = set(cause.followers)
        own = [layer for layer in cause.layers if layer not in followers]
        side = cause.kind not in (CauseKind.REMOVED, CauseKind.SHALLOWER)
        return (self._with_weights if cause.followers else self._sides)[side].fold(own) if any(own) else ""

    def clause(self, cause: LayerCause) -> str:
        """Return a cause as a clause, without a full stop."""
        reason = cause.reasons[0]
        if cause.kind in _COUNTED:
            units = units_of(cause)
            return f"{_stage(cause.stem)} {_COUNTED[cause.kind]} {len(units)} ({', '.join(units[:_CLAUSES])})"
        has_words = bool(reason.base or reason.head)
        if cause.kind in _OF_OPS and has_words and not reason.is_of_layers:
            return _of_ops(reason, self.layers(cause))
        words = _NAMED[cause.kind] if cause.kind in _NAMED and has_words else _SENTENCES[cause.kind]
        return words.format(
            layers=self.layers(cause), base=reason.base, head=reason.head, count=_have(len(cause.layers))
        )

    def label(self, cause: LayerCause) -> tuple[str, str]:
        """Return which layers a cause is about, and what happened to them; the first is empty if all nodes are."""
        reason = cause.reasons[0]
        if cause.kind in _COUNTED:
            units = units_of(cause)
            more = "more" if cause.kind is CauseKind.DEEPER else "less"
            return ", ".join(units[:_CLAUSES]), f"{len(units):,} {more} in {_stage(cause.stem)}"
        layers = reason.head or reason.base if cause.kind in _BLOCKS or reason.is_of_layers else self.layers(cause)
        what = _LABELS[cause.kind].format(base=reason.base, head=reason.head)
        what = what if reason.base or reason.head else what.partition(" (")[0]
        if _is_outside(cause):
            return "", what if cause.kind is CauseKind.OUTSIDE else f"{_OUTSIDE}: {what}"
        return layers, what


_OUTSIDE = "nodes that are in no layer"

_BLOCKS = (CauseKind.ADDED, CauseKind.REMOVED)

_LABELS = {
    CauseKind.WIDER: "wider ({base} to {head})",
    CauseKind.NARROWER: "narrower ({base} to {head})",
    CauseKind.OTHER_INPUT: "other input ({base} to {head})",
    CauseKind.KERNEL: "other kernel ({base} to {head})",
    CauseKind.STRIDE: "other stride (output {base} to {head})",
    CauseKind.OUTPUT_SIZE: "other output ({base} to {head})",
    CauseKind.INPUT_SIZE: "other input ({base} to {head})",
    CauseKind.SEQUENCE: "sequence length ({base} to {head})",
    CauseKind.BATCH: "batch ({base} to {head})",
    CauseKind.DTYPE: "type ({base} to {head})",
    CauseKind.FUSED: "fused ({base} to {head})",
    CauseKind.UNFUSED: "no longer fused ({base} to {head})",
    CauseKind.OTHER_OPS: "other ops ({base} to {head})",
    CauseKind.ATTRIBUTES: "other attributes",
    CauseKind.REPLACED: "replaced ({base})",
    CauseKind.ADDED: "new",
    CauseKind.REMOVED: "removed",
    CauseKind.SHARED: "weights shared",
    CauseKind.UNSHARED: "weights no longer shared",
    CauseKind.OPTIMIZER: "optimizer ({base} to {head})",
    CauseKind.NOW_UNKNOWN: "no longer known",
    CauseKind.NAMES: "other names",
    CauseKind.UNKNOWN: "changed, not clear why",
    CauseKind.OUTSIDE: _OUTSIDE,
}
"""What happened to layers with a cause, in few words."""

_COUNTED = {CauseKind.DEEPER: "gained", CauseKind.SHALLOWER: "lost"}

_OF_OPS = (CauseKind.REPLACED, CauseKind.OTHER_OPS)


def units_of(cause: LayerCause) -> list[str]:
    """Return the names of the units that are more or fewer, in order."""
    start = re.escape(cause.stem.removesuffix("#"))
    found = (re.match(f"{start}[0-9]+", layer) for layer in cause.layers if layer)
    return list(dict.fromkeys(unit[0] for unit in found if unit))


def _is_outside(cause: LayerCause) -> bool:
    """Return whether a cause is about nodes that are in no layer, and nothing else."""
    return cause.layers == (None,)


def _stage(stem: str) -> str:
    """Return what units are in: their name without the number and what joins it."""
    return stem.removesuffix("#").rstrip("_/-.") or "the model"


def _have(layers: int) -> str:
    return f"{plural(layers, 'layer')} {'has' if layers == 1 else 'have'}"


def _of_ops(reason: Reason, layers: str) -> str:
    """Return which ops changed, in words that suit one layer and several."""
    if reason.base and reason.head:
        return f"{reason.head} instead of {reason.base} in {layers}"
    return f"{reason.head} added in {layers}" if reason.head else f"{reason.base} removed from {layers}"
