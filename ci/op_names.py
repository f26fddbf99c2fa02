"""Write the names of TensorFlow's own op types to a file: ci/op_names.py FILE, with a Python that has TensorFlow 2.21.

All other op types are custom ops: only their authors know what they compute.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from tensorflow.core.framework import op_def_pb2
from tensorflow.python.client import pywrap_tf_session
from tensorflow.python.framework import test_ops

_OTHER_BUILDS = """
CreateTRTResourceHandle GetCalibrationDataOp InitializeTRTResource SerializeTRTResource TRTEngineOp
_FusedSoftmax _MklToTf MklToTf Swish FusedConv2DBiasActivation
"""
"""Op types that TensorFlow registers only for GPUs or oneDNN, or creates while it optimises a graph."""

_OLD = """
AdjustHsvInYiq BigQueryReader BipartiteMatch DecodeAudio DecodeAudioV2 DecodeVideo EncodeAudio
ExperimentalFunctionBufferingResource ExperimentalFunctionBufferingResourceGetNext
ExperimentalFunctionBufferingResourceReset ExperimentalIdentityIndexedDataset ExperimentalIndexedDatasetGet
ExperimentalIndexedDatasetMaterialize ExperimentalMaterializedIndexDatasetHandle ExperimentalNumaMapAndBatchDataset
FunctionBufferingResource FunctionBufferingResourceGetNext FunctionBufferingResourceReset GatherTree
GenerateBigQueryReaderPartitions HyperplaneLshProbes ImageConnectedComponents ImageProjectiveTransform MaskedMatmul
NeonDepthwiseConv2dNative PeriodicResample ReduceSliceMax ReduceSliceMin ReduceSliceProd ReduceSliceSum
RemoteFusedGraphExecute Resampler ResamplerGrad SingleImageRandomDotStereograms SparseFeatureCross SparseFeatureCrossV2
TensorForestCreateTreeVariable TensorForestTreeDeserialize TensorForestTreeIsInitializedOp TensorForestTreePredict
TensorForestTreeResourceHandleOp TensorForestTreeSerialize TensorForestTreeSize
"""
"""Op types of TensorFlow 1, including its contrib modules, that no longer exist."""


def registered() -> set[str]:
    """Return the op types that this TensorFlow registers, without those of its own tests."""
    data = pywrap_tf_session.TF_GetBuffer(pywrap_tf_session.TF_GetAllOpList())
    of_tests = re.findall(r'_execute\.execute\(b"([^"]+)"', Path(test_ops.__file__).read_text())
    return {op.name for op in op_def_pb2.OpList.FromString(bytes(data)).op} - set(of_tests)


if __name__ == "__main__":
    names = registered() | set(_OTHER_BUILDS.split()) | set(_OLD.split())
    Path(sys.argv[1]).write_text("".join(f"{name}\n" for name in sorted(names)))
