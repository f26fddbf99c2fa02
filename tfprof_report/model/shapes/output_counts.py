"""How many outputs a node has that no list of shapes tells: by its op type, an attribute, or who reads them."""

from __future__ import annotations

from tfprof_report.arrays import Ints
from tfprof_report.model.shapes.padded import column
from tfprof_report.model.shapes.rules.table import RANGED, RULES
from tfprof_report.model.shapes.state import Nodes

MOST_OUTPUTS = 4096
"""Nodes that say they have more outputs than this are not believed."""

COUNTED_BY_USE = frozenset(
    f"{op}{version}" for op in ("QueueDequeue", "QueueDequeueMany", "QueueDequeueUpTo") for version in ("", "V2")
)
"""Op types that have at least as many outputs as other nodes read."""

_WORDS = {
    2: """
        BatchSelfAdjointEigV2 BroadcastGradientArgs CTCLoss CTCLossV2 Eig ListDiff LogMatrixDeterminant Lu
        MaxPoolWithArgmax Merge Qr RefMerge RefSwitch RequantizationRange SelfAdjointEigV2
        SoftmaxCrossEntropyWithLogits SparseReorder SparseReshape SparseSegmentMeanGradV2
        SparseSegmentSqrtNGradV2 SparseSegmentSumGradV2 SparseSoftmaxCrossEntropyWithLogits
        StatelessRandomGetKeyCounter Switch TensorArrayGradV3 TensorArrayV3 TopK TopKV2 Unique UniqueV2
    """,
    3: """
        AllCandidateSampler BatchSvd FakeQuantWithMinMaxVarsGradient FakeQuantWithMinMaxVarsPerChannelGradient
        FixedUnigramCandidateSampler FractionalAvgPool FractionalMaxPool LearnedUnigramCandidateSampler
        LogUniformCandidateSampler QuantizeAndDequantizeV4Grad QuantizedConv2DPerChannel
        QuantizedDepthwiseConv2D QuantizedDepthwiseConv2DWithBias QuantizedDepthwiseConv2DWithBiasAndRelu
        QuantizedDepthwiseConv2DWithBiasAndReluAndRequantize QuantizeV2 Svd ThreadUnsafeUnigramCandidateSampler
        UniformCandidateSampler UniqueWithCounts UniqueWithCountsV2
    """,
    4: """
        CudnnRNN CudnnRNNBackprop CudnnRNNBackpropV2 CudnnRNNBackpropV3 GRUBlockCell GRUBlockCellGrad
        SparseFillEmptyRows
    """,
    5: """
        BatchNormWithGlobalNormalizationGrad CudnnRNNV2 CudnnRNNV3 FusedBatchNorm FusedBatchNormGrad
        FusedBatchNormGradV2 FusedBatchNormGradV3 FusedBatchNormV2 LSTMBlockCellGrad
    """,
    6: """
        _FusedBatchNormEx FusedBatchNormV3
    """,
    7: """
        BlockLSTM BlockLSTMV2 LSTMBlockCell
    """,
    8: """
        BlockLSTMGrad BlockLSTMGradV2
    """,
}
_FIXED = {
    **{op: 3 for ops in RANGED.values() for op in ops},
    **{op: count for count, words in _WORDS.items() for op in words.split()},
}
_COUNTED = {
    "Split": "num_split",
    "SplitV": "num_split",
    "Unpack": "num",
    "ShapeN": "N",
    "ConcatOffset": "N",
    "DynamicPartition": "num_partitions",
}


def outputs_of(op: str, nodes: Nodes) -> Ints:
    """Return how many outputs the nodes of an op type have; 0 without a rule, or where only use tells."""
    if op not in RULES or op in COUNTED_BY_USE:
        return column(len(nodes), 0)
    if op == "IdentityN":
        return nodes.inputs.clip(0, MOST_OUTPUTS)
    if op in _COUNTED:
        counts = nodes.number(_COUNTED[op])
        return counts * ((counts > 0) & (counts <= MOST_OUTPUTS))
    return column(len(nodes), _FIXED.get(op, 1))
