"""The sets of FLOPs rules by name: TensorFlow's registry, and the same with rules for what it lacks."""

from __future__ import annotations

from tfprof_report.model.contractions import CONTRACTIONS
from tfprof_report.model.no_arithmetic import NO_ARITHMETIC
from tfprof_report.model.numerics import NUMERICS
from tfprof_report.model.pointwise import POINTWISE
from tfprof_report.model.registry import rules_of
from tfprof_report.model.rules import RuleSet, UserRules
from tfprof_report.semantics import CORRECTED, Semantics

NONE, TFPROF_RULES, EXTENDED = "none", "tfprof", "extended"
RULE_SETS = (NONE, TFPROF_RULES, EXTENDED)
"""Names of rule sets."""

_EXTENSIONS = (*CONTRACTIONS, *POINTWISE, *NUMERICS, *NO_ARITHMETIC)

VERSIONS = {NONE: 1, TFPROF_RULES: 1, EXTENDED: 2}
"""Versions of the rule sets: to be raised with every change of a figure."""


def rule_set(name: str, semantics: Semantics = CORRECTED, user: UserRules | None = None) -> RuleSet:
    """Return the rules of a name of `RULE_SETS`, and those of `user`, which count before them.

    ``extended`` has the registry's rules without its quirks whatever the semantics, and more; no rule replaces one of
    the registry.
    """
    rules = {NONE: (), TFPROF_RULES: rules_of(semantics), EXTENDED: (*rules_of(CORRECTED), *_EXTENSIONS)}[name]
    return RuleSet(
        name=name,
        version=VERSIONS[name],
        rules=(*rules, *user.rules) if user else rules,
        user=user,
        has_vendor_kernels=name == EXTENDED,
    )
