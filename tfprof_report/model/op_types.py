"""What is known of op types without a rule: whether they are TensorFlow's own (the list is made by ci/op_names.py)."""

from __future__ import annotations

from functools import cache
from pathlib import Path

DATA_DEPENDENT = frozenset(
    (
        *("NonMaxSuppression", "NonMaxSuppressionV2", "NonMaxSuppressionV3", "NonMaxSuppressionV4"),
        *("NonMaxSuppressionV5", "NonMaxSuppressionWithOverlaps", "CombinedNonMaxSuppression"),
        *("GenerateBoundingBoxProposals", "BipartiteMatch", "CTCLoss", "CTCLossV2", "CTCGreedyDecoder"),
        *("CTCBeamSearchDecoder", "EditDistance", "IsotonicRegression", "NthElement", "KmeansPlusPlusInitialization"),
        *("SparseAdd", "SparseSparseMaximum", "SparseSparseMinimum", "SparseMatrixSparseMatMul"),
        *("SparseMatrixSparseCholesky", "DenseToDenseSetOperation", "DenseToSparseSetOperation"),
        *("SparseToSparseSetOperation", "SdcaOptimizer", "SdcaOptimizerV2"),
    )
)
"""Op types whose arithmetic depends on what is in their inputs: shapes alone do not tell it."""

_NAMES = Path(__file__).with_name("op_names.txt")


def is_own(op: str) -> bool:
    """Return whether an op type is one of TensorFlow 2.21 or 1, or internal to TensorFlow; others are custom ops."""
    return op.startswith("_") or op in _own_ops()


@cache
def _own_ops() -> frozenset[str]:
    return frozenset(_NAMES.read_text().split())
