"""The policy of a verdict, from the gates of the rules file, followed by those of the command line."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import replace
from fractions import Fraction

from tfprof_report.cli.config.acknowledged import read_acknowledged
from tfprof_report.cli.config.file import AppliedRules
from tfprof_report.cli.config.gate_tables import OfModels, check_models, of_model
from tfprof_report.cli.config.keys import PERCENT
from tfprof_report.cli.params.report_options import GateValues
from tfprof_report.compare.gates.grammar import parse_gate
from tfprof_report.compare.gates.policy import Acknowledgement, Gate, Policy
from tfprof_report.errors import OptionError
from tfprof_report.options import unknown_word

_GATE_OF = re.compile(r"\s*([\w.-]+)\s*:(.*)", re.DOTALL)


def policy_from(values: GateValues, rules: AppliedRules, name: str | None) -> Policy:
    """Return the policy of one model; `name` selects the gates that are for named models."""
    gates = _parsed(values.gate or (), rules)
    return _policy(values, of_model(rules.gates, name) + gates, of_model(_accepted(values), name))


def policies_from(values: GateValues, rules: AppliedRules, names: Iterable[str]) -> dict[str, Policy]:
    """Return the policy of each of several models. Gates of the command line without a name apply to all."""
    texts: dict[str, list[str]] = {name: [] for name in names}
    for text in values.gate or ():
        named, gate = gate_of_model(text, texts)
        for name in texts if named is None else [named]:
            texts[name].append(gate)
    accepted = _accepted(values)
    known = [*texts, *(rules.file.models if rules.file else ())]
    check_models(rules.gates, known)
    check_models(accepted, known)
    return {
        name: _policy(values, of_model(rules.gates, name) + _parsed(texts[name], rules), of_model(accepted, name))
        for name in texts
    }


def gate_of_model(text: str, models: Collection[str]) -> tuple[str | None, str]:
    """Return the model that a gate of the command line names, ``NAME: GATE``, None if it is for all; and the gate.

    Raises
    ------
    OptionError
        There is no such model.
    """
    named = _GATE_OF.fullmatch(text)
    if named and named[1] not in models:
        raise unknown_word(named[1], option=f'--gate "{text}"', known=models)
    return (named[1], named[2].strip()) if named else (None, text)


def _parsed(texts: Iterable[str], rules: AppliedRules) -> tuple[Gate, ...]:
    """Return gates of the command line; the owner is that of the rules file."""
    return tuple(parse_gate(text, owner=rules.owner) for text in texts)


def _policy(values: GateValues, gates: tuple[Gate, ...], accepted: tuple[Acknowledgement, ...]) -> Policy:
    policy = Policy(gates=gates, acknowledged=accepted, fail_on_unknown=values.fail_on_unknown)
    if values.max_unmatched is not None:  # a fraction, whereas the threshold stays in percent
        policy = replace(policy, max_unmatched=_percent(values.max_unmatched, "--max-unmatched") / 100)
    if values.threshold is not None:
        policy = replace(policy, threshold=_percent(values.threshold, "--threshold"))
    return policy


def _accepted(values: GateValues) -> tuple[OfModels[Acknowledgement], ...]:
    return read_acknowledged(values.acknowledged) if values.acknowledged is not None else ()


def _percent(text: str, option: str) -> Fraction:
    """Return a percentage between 0 and 100."""
    number = text.strip().removesuffix("%").rstrip()
    if not re.match(PERCENT, text.strip()) or Fraction(number) > 100:  # noqa: PLR2004
        raise OptionError(f'"{text}" is not a percentage', option=option, advice="write a number from 0% to 100%")
    return Fraction(number)
