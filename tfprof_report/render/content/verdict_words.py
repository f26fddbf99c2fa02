"""The verdict as an answer to "may I merge?", who to ask, and what to type if the change is meant."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import NamedTuple

from tfprof_report.clock import time_of
from tfprof_report.compare.gates.context import named
from tfprof_report.compare.gates.grammar import UNITS
from tfprof_report.compare.gates.policy import Level
from tfprof_report.compare.gates.verdict import GateResult, GateStatus, Outcome
from tfprof_report.formatting import plural
from tfprof_report.render.tables.cells import Cell, name_cell, visible
from tfprof_report.render.tables.gates_tables import fails_verdict
from tfprof_report.report.report import Report
from tfprof_report.schema.metrics import Unit

ACCEPTED_DAYS = 30
"""Days that the command proposes to accept a change for: until then base should have it too."""

_FOLDER = "tfprof-report"
"""The folder that the CI recipes write. A report does not know its folder, so that two folders get the same files."""

_NOTHING = "nothing to judge"


class Owner(NamedTuple):
    """Who to ask about some gates that do not hold; `rules` are these gates, empty if they are all that do not."""

    name: Cell
    rules: tuple[Cell, ...]


ANSWERS = {
    Outcome.FAILED: "Do not merge yet",
    Outcome.INCONCLUSIVE: "Undecided",
    Outcome.NO_BASELINE: "Not compared",
    Outcome.NOT_JUDGED: "Nothing was judged",
    Outcome.OK: "May be merged",
}
"""Each outcome as an answer."""


def verdict_words(report: Report) -> str:
    """Return the outcome as an answer: ``Do not merge yet: 2 of 4 gates fail``. Gates that only inform do not count."""
    gates = [gate for gate in report.verdict.gates if gate.level is Level.FAIL]
    counts = {status: sum(gate.status is status for gate in gates) for status in GateStatus}
    match report.verdict.outcome:
        case Outcome.FAILED:
            reason = _of(counts[GateStatus.FAILED], gates, "fails", "fail")
        case Outcome.INCONCLUSIVE:
            reason = _blocked(report)
            reason = reason or _of(counts[GateStatus.INCONCLUSIVE], gates, "can't be judged", "can't be judged")
        case Outcome.NO_BASELINE:
            held = counts[GateStatus.PASSED]
            budgets = f", {plural(held, 'gate')} that {'needs none holds' if held == 1 else 'need none hold'}"
            reason = f"there is no baseline{budgets if held else ''}"
        case Outcome.NOT_JUDGED:
            reason = _why_not_judged(report, gates)
        case Outcome.OK:
            reason = _held(gates, counts)
    return f"{ANSWERS[report.verdict.outcome]}{f': {reason}' if reason else ''}"


def _of(count: int, gates: Sequence[GateResult], one: str, many: str) -> str:
    """Return ``the gate fails``, ``both gates fail``, ``1 of 4 gates fails``; empty for none."""
    if not count:
        return ""
    if count == len(gates):
        return f"the gate {one}" if count == 1 else f"{'both' if count == 2 else f'all {count:,}'} gates {many}"  # noqa: PLR2004
    return f"{count:,} of {len(gates):,} gates {one if count == 1 else many}"


def _blocked(report: Report) -> str:
    """Return why nothing can be decided, whatever the gates found; empty if that is not so."""
    comparison = report.comparison
    if not report.head.nodes.num_rows:
        return "head has no nodes"
    if comparison is None:
        return ""
    if not comparison.matched_nodes:
        return "no node of head has a name that base knows"
    alone = comparison.matching.unmatched_share or 0
    return "too many nodes have no partner" if alone > report.policy.max_unmatched else ""


def _why_not_judged(report: Report, gates: Sequence[GateResult]) -> str:
    if not report.verdict.gates:
        return "no gates were set"
    if gates and all(gate.status is GateStatus.NO_REFERENCE for gate in gates):
        return f"{'the gate has' if len(gates) == 1 else f'all {len(gates):,} gates have'} no reference"
    if not gates:
        count = len(report.verdict.gates)
        return "the gate only informs" if count == 1 else f"all {count:,} gates only inform"
    return f"the gate had {_NOTHING}" if len(gates) == 1 else f"no gate had {_NOTHING.replace('nothing', 'anything')}"


def _held(gates: Sequence[GateResult], counts: Mapping[GateStatus, int]) -> str:
    """Return that the gates hold, which only because a change was accepted, and which had nothing to judge."""
    accepted, skipped, lost = (
        counts[status] for status in (GateStatus.ACKNOWLEDGED, GateStatus.SKIPPED, GateStatus.NO_REFERENCE)
    )
    held = len(gates) - skipped - lost
    if not held:
        return ""
    words = f"{held:,} of {len(gates):,} gates {'holds' if held == 1 else 'hold'}" if skipped or lost else ""
    words = words or _of(held, gates, "holds", "hold")
    if accepted:
        words += f", {accepted:,} of them by an accepted change" if held > 1 else " by an accepted change"
    words += f", {skipped:,} had {_NOTHING}" if skipped else ""
    return f"{words}, {lost:,} {'has' if lost == 1 else 'have'} no reference" if lost else words


def accept_command(report: Report) -> str:
    """Return the command that accepts the failed gates, with a reason to fill in; empty if none of them can be.

    Budgets do not depend on base, and no two runs take the same time: neither can be accepted.
    """
    relative = {
        named(gate) for gate in report.policy.gates if not gate.is_budget and UNITS[gate.metric] is not Unit.MICROS
    }
    failed = (gate for gate in report.verdict.gates if fails_verdict(gate) and gate.status is GateStatus.FAILED)
    if not any(named(gate) in relative for gate in failed):
        return ""
    made, model = time_of(report.timestamp), report.model
    day = (made + timedelta(days=ACCEPTED_DAYS)).date().isoformat() if made else "YYYY-MM-DD"
    one = f" --model {shlex.quote(model)}" if model and visible(model) == model else ""
    return f'tfprof-report accept {_FOLDER}{one} --reason "why it is meant" --expires {day}'


def owners_of(report: Report) -> tuple[Owner, ...]:
    """Return who owns the gates because of which the verdict is not OK, in the order of the gates."""
    gates = [gate for gate in report.verdict.gates if fails_verdict(gate)]
    names = dict.fromkeys(gate.owner for gate in gates if gate.owner)
    if len(names) == 1 and all(gate.owner for gate in gates):
        return tuple(Owner(name_cell(name), ()) for name in names)
    return tuple(
        Owner(name_cell(name), tuple(name_cell(named(gate)) for gate in gates if gate.owner == name)) for name in names
    )
