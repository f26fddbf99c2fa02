"""The headline of a report, for a reader with thirty seconds: what was measured or changed, and warnings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from tfprof_report.compare.comparison import APART, SAME, Comparison, RowStatus, State, TimeFinding, TotalDelta
from tfprof_report.compare.gates.verdict import Outcome
from tfprof_report.diagnostics import DROPPED
from tfprof_report.formatting import (
    COMMIT_DIGITS,
    MINUS,
    format_delta,
    format_exact,
    format_number,
    format_percent,
    format_total,
    in_a_sentence,
    label_of,
    plural,
    unit_of,
)
from tfprof_report.model.flops.evaluate import FLOP_STEMS
from tfprof_report.model.params.kinds import ParamKind
from tfprof_report.model.parts.leave_out import ALL_COUNT
from tfprof_report.model.shapes.basis import basis_of
from tfprof_report.report.breakdowns import ALL, ParamTotal
from tfprof_report.report.build_report import NO_BASELINE, other_counting, other_signature, same_sides
from tfprof_report.report.changed import changed_stems
from tfprof_report.report.report import Report
from tfprof_report.schema.metrics import DEVICE_PEAK, METRICS, Unit

_STEMS = ("float_ops", "params", DEVICE_PEAK)
_MOVED = (RowStatus.CHANGED, RowStatus.NEW, RowStatus.REMOVED)


def headline(report: Report) -> str:
    """Return what was measured or changed in a few sentences, with the figures that matter most."""
    if not report.head.nodes.num_rows:
        first = "The graph of head has no nodes" if report.comparison else "The graph has no nodes"
    else:
        first = _describe_changes(report, report.comparison) if report.comparison else _describe_sizes(report)
    names = _names(report.comparison, report.policy.max_unmatched) if report.comparison else ()
    lacks, time = _lacks(report), _time(report.comparison)
    sentences = (*_far(report), *_lost(report), first, *_whole(report), *lacks, *time, *names)
    return " ".join(f"{sentence}." for sentence in sentences)


def warnings_of(report: Report) -> tuple[str, ...]:
    """Return the warnings that come before all figures: no baseline, or sides that are equal or counted otherwise."""
    comparison = report.comparison
    if comparison is None:
        return tuple(f"{found.text}." for found in report.diagnostics if found.code == NO_BASELINE)
    same = (
        *other_counting(comparison),
        *same_sides(comparison.base.origin, comparison.head.origin),
        *other_signature(comparison),
    )
    found = [f"{warning.text[:1].upper()}{warning.text[1:]}." for warning in same]
    if not comparison.has_same_rules:
        found.append(
            f"FLOPs of base are counted by other rules ({comparison.base.rules}) than those of head "
            f"({comparison.head.rules}): their difference says little."
        )
    if comparison.unlike_sizes:
        found.append(f"FLOPs that rest on these sizes can't be compared: {'; '.join(comparison.unlike_sizes)}.")
    return tuple(found)


def _far(report: Report) -> Iterator[str]:
    """Yield which commit head is compared with, if that is many commits back or old."""
    if report.comparison and report.distance.is_large:
        commit = report.comparison.base.origin.commit
        name = commit[:COMMIT_DIGITS] if commit else "a baseline"
        yield f"Compared with {name}, {report.distance.words}"


def _lost(report: Report) -> Iterator[str]:
    """Yield of which side the profiler lost events: before all figures, since those of the run are then too low."""
    base = [("In base, ", report.comparison.base)] if report.comparison else []
    for words, side in (*base, ("In head, " if base else "", report.head)):
        for found in side.diagnostics:
            if found.code == DROPPED:
                text = f"{words}{found.text} ({', '.join(found.examples)})"
                yield f"{text[:1].upper()}{text[1:]}"


def _whole(report: Report) -> Iterator[str]:
    """Yield why all nodes of a SavedModel count, if they do."""
    for found in report.head.diagnostics:
        if found.code == ALL_COUNT:
            yield f"{found.text[:1].upper()}{found.text[1:]}"


def _describe_sizes(report: Report) -> str:
    values, unknown = report.values, report.unknown
    known = [stem for stem in _STEMS if stem != DEVICE_PEAK or values[stem] is not None]
    words = {"params": parameter_words(report.param_totals)}
    sizes = (
        f"{label_of(stem)} "
        f"{words.get(stem) or format_total(values.get(stem), unit_of(stem), unknown=unknown.get(stem, 0))}"
        f"{_at_batch(stem, report)}"
        for stem in known
    )
    listed = ", ".join(in_a_sentence(size) if place else size for place, size in enumerate(sizes))
    nothing = "no baseline" if report.verdict.outcome is Outcome.NO_BASELINE else "nothing"
    nodes, signature = plural(report.head.nodes.num_rows, "node"), report.head.measurement.signature
    where = f"{nodes} of the signature {signature}" if signature else nodes
    return f"{listed}, in {where}; {nothing} to compare with"


def parameter_words(totals: Sequence[ParamTotal]) -> str:
    """Return the parameters by what they are for: ``767 k trainable, 1.54 M with optimizer state``.

    Figures that read the same are named once. Empty where all are trainable, and where a part is not known.
    """
    kinds = {total.kind: total for total in totals}
    every, trainable = kinds.get(ALL), kinds.get(ParamKind.TRAINABLE)
    if not every or not trainable or not every.params or every.known < every.nodes:
        return ""
    slots = kinds[ParamKind.SLOT].params or 0 if ParamKind.SLOT in kinds else 0
    figures = [(trainable.params, "trainable"), (every.params - slots, "in the model")]
    figures += [(every.params, "with optimizer state")] if slots else []
    named: dict[str, str] = {}
    for figure, words in figures:
        named.setdefault(format_number(figure, Unit.COUNT), words)
    return ", ".join(f"{figure} {words}" for figure, words in named.items()) if len(named) > 1 else ""


def _at_batch(stem: str, report: Report) -> str:
    """Return `` at batch 1 of x`` for FLOPs that rest on it, else nothing."""
    words = basis_of(report.head.nodes).of_batch if stem in FLOP_STEMS else ""
    return f" {words}" if words and report.values.get(stem) is not None else ""


def _describe_changes(report: Report, comparison: Comparison) -> str:
    counts, stems = comparison.counts, changed_stems(comparison)
    same = counts[RowStatus.UNCHANGED]
    if not comparison.matched_nodes:
        return "Nothing is comparable: no node of head has a name that base knows"
    if not stems and not counts[RowStatus.CHANGED]:
        if not comparison.has_same_counting:
            return f"No figure of {plural(same, 'node')} differs, but base was counted by another version of the tool"
        what = "Nothing but names changed" if comparison.matching.renamed else "Nothing changed"
        return f"{what}: base and head are equal in every figure of all {plural(same, 'node')}"
    if not stems:
        return f"No figure changed; {plural(counts[RowStatus.CHANGED], 'node')} with another op type"
    if all(METRICS[stem].unit is Unit.MICROS for stem in stems):
        return _describe_times({total.stem: total for total in comparison.all_totals})
    totals = {total.stem: total for total in comparison.all_totals}
    headlines = [totals[stem] for stem in _STEMS if stem in totals]
    states = {stem: totals[stem].state for stem in ("params", "param_bytes") if stem in totals}
    if states == {"params": State.UNCHANGED, "param_bytes": State.CHANGED}:
        headlines.append(totals["param_bytes"])  # another type
    moved = [_describe_change(total) + _at_batch(total.stem, report) for total in headlines if total.state not in SAME]
    equal = [in_a_sentence(label_of(total.stem)) for total in headlines if total.state is State.UNCHANGED]
    unchanged = [f"{' and '.join(equal)} did not change"] if equal else []
    rows = [] if moved else [", ".join(f"{counts[status]:,} {status}" for status in _MOVED) + " nodes"]
    text = "; ".join([*([", ".join(moved)] if moved else []), *unchanged, *rows])
    return text[:1].upper() + text[1:]


def _describe_times(totals: Mapping[str, TotalDelta]) -> str:
    """Return that only time changed, or what is not known of it, and what is equal."""
    words = {"float_ops": "FLOPs", "params": "parameters", "bytes": "memory"}
    equal = [word for stem, word in words.items() if stem in totals and totals[stem].state is State.UNCHANGED]
    is_lost = "micros" in totals and totals["micros"].state in APART
    text = _describe_change(totals["micros"]) if is_lost else "Nothing but time changed"
    *most, last = equal or ["other figures"]
    joined = f"{', '.join(most)}{' and ' if most else ''}{last}"
    return f"{text[:1].upper()}{text[1:]}{';' if is_lost else ':'} {joined} are equal in every node"


def _describe_change(total: TotalDelta) -> str:
    """Return how a total changed; its state is not one of `SAME`. Where it is not fully known, that is all it says."""
    label, unit = in_a_sentence(label_of(total.stem)), unit_of(total.stem)
    if total.state in APART:
        base = format_total(total.base, unit, unknown=total.base_unknown)
        head = format_total(total.head, unit, unknown=total.head_unknown)
        if not (total.base_unknown or total.head_unknown):
            return f"{label} not comparable ({base} in base, {head} in head)"
        where = {State.LOST: "in head", State.NOW_KNOWN: "in base", State.NOT_COMPARABLE: "on both sides"}[total.state]
        return f"{label} not fully known {where} ({base} to {head})"
    base = format_total(total.base, unit, unknown=total.base_unknown)
    head = format_total(total.head, unit, unknown=total.head_unknown)
    if base == head:  # equal only after rounding
        base, head = (format_exact(side, unit) for side in (total.base, total.head))
    if total.state is State.NEW_FROM_ZERO:
        return f"{label} grew from 0 to {head}"
    verb = "grew" if (total.delta or 0) > 0 else "shrank"
    return f"{label} {verb} {format_percent(total.percent).lstrip('+' + MINUS)} ({base} to {head})"


def _lacks(report: Report) -> Iterator[str]:
    """Yield what the totals of head lack, the op types that look costliest first, and what to do about it."""
    for stem, missing in report.missing.items():
        ops = f": {missing.op_words}" if missing.ops else ""
        steps = f" ({missing.step_words})" if missing.steps else ""
        yield f"{label_of(stem)} of {plural(missing.nodes, 'node')} unknown{ops}{steps}"


def _time(comparison: Comparison | None) -> Iterator[str]:
    """Yield the change of the median step time if it is statistically significant."""
    for change in comparison.times if comparison else ():
        if change.stem == "micros" and change.finding in (TimeFinding.SLOWER, TimeFinding.FASTER):
            base, head = (format_number(side.median, Unit.MICROS) for side in (change.base, change.head))
            yield f"Steps are {change.finding}: median {base} to {head} ({format_percent(change.percent)})"


def _names(comparison: Comparison, most_alone: Fraction) -> Iterator[str]:
    """Yield how many nodes were renamed, and whether too many are unmatched, which is inconclusive in itself."""
    if renamed := comparison.matching.renamed:
        yield f"{plural(renamed, 'node')} {'has' if renamed == 1 else 'have'} another name than in base"
    alone = comparison.matching.unmatched_share
    if alone is not None and most_alone < alone < 1:  # if no node is matched, the first sentence says so
        yield f"{float(100 * alone):.2f} % of the nodes have no partner, more than {float(100 * most_alone):g} %"


def fallen_totals(comparison: Comparison) -> tuple[str, ...]:
    """Return a sentence on the totals that fell, if any; times only where the rank test finds them faster."""
    faster = {change.stem for change in comparison.times if change.finding is TimeFinding.FASTER}
    fallen = [
        f"{label_of(total.stem)} {format_percent(total.percent)} ({format_delta(total.delta, unit_of(total.stem))})"
        for total in comparison.all_totals
        if total.delta is not None
        and total.delta < 0
        and (unit_of(total.stem) is not Unit.MICROS or total.stem in faster)
    ]
    return (f"Totals that fell: {', '.join(fallen)}.",) if fallen else ()
