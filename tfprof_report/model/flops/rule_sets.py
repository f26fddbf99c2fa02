"""The sets of FLOPs rules by name: TensorFlow's registry, and the same with rules for what it lacks."""

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


VERSIONS: dict[str, int] = {FlopsRules.NONE: 1, FlopsRules.TFPROF: 1, FlopsRules.EXTENDED: 2}
"""Versions of the rule sets: to be raised with every change of a figure."""


def rule_set(name: str, semantics: Semantics = CORRECTED, user: UserRules | None = None) -> RuleSet:
    """Return the rules of a name of `FlopsRules`, and those of `user`, which count before them.

    ``extended`` has the registry's rules without its quirks whatever the semantics, and more; no rule replaces one of
    the registry.
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
"""Op types whose arithmetic depends on what is in their inputs: shapes alone do not tell it."""


_NAMES = Path(__file__).with_name("op_names.txt")


def is_own(op: str) -> bool:
    """Return whether an op type is one of TensorFlow 2.21 or 1, or internal to TensorFlow; others are custom ops."""
    return op.startswith("_") or op in _own_ops()


@cache
def _own_ops() -> frozenset[str]:
    return frozenset(_NAMES.read_text().split())
