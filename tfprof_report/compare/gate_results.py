"""One gate's outcome: what it has to judge, and where nothing."""

from __future__ import annotations

from tfprof_report.compare.case import NO_BASELINE, NOUNS, Case, named, result_of
from tfprof_report.compare.gate_grammar import OPTION
from tfprof_report.compare.model_gate import judge_model
from tfprof_report.compare.policy import Gate, Subject
from tfprof_report.compare.precedence import GateRows
from tfprof_report.compare.result import GateResult, GateStatus
from tfprof_report.compare.row_gate import judge_rows
from tfprof_report.compare.wording import called
from tfprof_report.errors import OptionError


def judge_gate(gate: Gate, rows: GateRows, case: Case) -> GateResult:
    """Return what a gate finds in its rows.

    Raises
    ------
    OptionError
        A gate of the command line is relative to a base, and there is none.
    """
    if not rows.matched.any():
        sides = "base or head" if case.comparison else "head"
        text = f"no {NOUNS[gate.subject]} of {sides} has a name that {called(gate.glob)} matches"
        return result_of(gate, GateStatus.INCONCLUSIVE, text)
    if rows.winner is not None:
        return result_of(gate, GateStatus.SKIPPED, f"later gates judge all that it matches: {named(rows.winner)}")
    if case.comparison is None and not gate.is_budget:
        return _without_base(gate, case)
    if gate.subject is Subject.MODEL:
        return judge_model(gate, case)
    return judge_rows(gate, rows.judged, case)


def _without_base(gate: Gate, case: Case) -> GateResult:
    if case.is_new:
        words = "the model is new, base has none to measure it against"
        return result_of(gate, GateStatus.INCONCLUSIVE, words)
    if gate.source == OPTION and not case.base_missing:
        raise OptionError(
            "a limit with a sign is relative to base and needs a baseline",
            option=f'{OPTION} "{gate.text}"',
            advice="compare with a baseline, or leave out the sign for an absolute budget",
        )
    return result_of(gate, GateStatus.SKIPPED, NO_BASELINE)
