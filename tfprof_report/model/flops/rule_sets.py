"""The named sets of FLOPs rules: TensorFlow's registry, and the registry with rules for the op types that it lacks."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from tfprof_report.model.flops.contractions import CONTRACTIONS
from tfprof_report.model.flops.no_arithmetic import NO_ARITHMETIC
from tfprof_report.model.flops.numerics import NUMERICS
from tfprof_report.model.flops.pointwise import POINTWISE
from tfprof_report.model.flops.rule import Rule, RuleSet, UserRules
from tfprof_report.model.flops.tensorflow_registry import rules_of
from tfprof_report.model.graph.op_types import op_types
from tfprof_report.semantics import CORRECTED, Semantics
from tfprof_report.vocabulary import FlopsRules

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
