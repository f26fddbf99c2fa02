"""The named sets of FLOPs rules: TensorFlow's registry, and the registry with rules for the op types that it lacks."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from tfprof_report.model.flops.contractions import CONTRACTIONS
from tfprof_report.model.flops.no_arithmetic import NO_ARITHMETIC
from tfprof_report.model.flops.numerics import NUMERICS
from tfprof_report.model.flops.pointwise import POINTWISE
from tfprof_report.model.flops.rule import Rule, RuleSet, UserRules
from tfprof_report.model.flops.tensorflow_registry import REGISTERED_OPS, rules_of
from tfprof_report.model.graph.op_types import op_types
from tfprof_report.semantics import CORRECTED, Semantics
from tfprof_report.vocabulary import FlopsRules

RULES, EXTENSIONS, USER_RULES = "tfprof_rules", "extended_rules", "user_rules"
"""Values of the column float_ops_source: a rule of TensorFlow's registry, an extension of it, a rule of the user's."""

_EXTENSIONS = (*CONTRACTIONS, *POINTWISE, *NUMERICS, *NO_ARITHMETIC)


VERSIONS: dict[str, int] = {FlopsRules.NONE: 1, FlopsRules.TFPROF: 1, FlopsRules.EXTENDED: 3}
"""Versions of the rule sets. Raise one with every change of a figure."""


def rule_set(name: str, semantics: Semantics = CORRECTED, user: UserRules | None = None) -> RuleSet:
    """Return the rule set with a name of `FlopsRules`, and the rules of `user`, which override it.

    ``extended`` is the registry, without its quirks under any semantics, and rules for other op types; none of these
    replaces a rule of the registry.
    """
    sets: dict[str, tuple[Rule, ...]] = {
        FlopsRules.NONE: (),
        FlopsRules.TFPROF: rules_of(semantics),
        FlopsRules.EXTENDED: (*rules_of(CORRECTED), *_EXTENSIONS),
    }
    rules = sets[name]
    return RuleSet(
        name=name,
        version=VERSIONS[name],
        rules=(*rules, *user.rules) if user else rules,
        user=user,
        has_vendor_kernels=name == FlopsRules.EXTENDED,
    )


DATA_DEPENDENT = frozenset(
    op_types("""
        NonMaxSuppression NonMaxSuppressionV2 NonMaxSuppressionV3 NonMaxSuppressionV4 NonMaxSuppressionV5
        NonMaxSuppressionWithOverlaps CombinedNonMaxSuppression GenerateBoundingBoxProposals BipartiteMatch CTCLoss
        CTCLossV2 CTCGreedyDecoder CTCBeamSearchDecoder EditDistance IsotonicRegression NthElement
        KmeansPlusPlusInitialization SparseAdd SparseSparseMaximum SparseSparseMinimum SparseMatrixSparseMatMul
        SparseMatrixSparseCholesky DenseToDenseSetOperation DenseToSparseSetOperation SparseToSparseSetOperation
        SdcaOptimizer SdcaOptimizerV2
    """)
)
"""Op types whose FLOPs depend on the values of their inputs, not on shapes alone."""


_NAMES = Path(__file__).with_name("op_names.txt")


def is_own(op: str) -> bool:
    """Return whether an op type belongs to TensorFlow 2.21 or 1, or is internal to it; others are custom ops."""
    return op.startswith("_") or op in _own_ops()


@cache
def _own_ops() -> frozenset[str]:
    return frozenset(_NAMES.read_text().split())


def rule_sources(ops: Sequence[str], rules: RuleSet) -> list[str]:
    """Return for each op type whose rule applies, as a value of the column float_ops_source."""
    first_of_user = len(rules.rules) - (len(rules.user.rules) if rules.user else 0)
    return [
        USER_RULES if rule >= first_of_user else RULES if op in REGISTERED_OPS else EXTENSIONS
        for op, rule in zip(ops, rules.find(ops).tolist(), strict=True)
    ]
