"""Op types that make, move or describe data without arithmetic on it: 0 FLOPs, and known to be."""

from __future__ import annotations

import numpy as np

from tfprof_report.model.rules import OpClass, Rule

_ZERO = {
    "makes or names data": (
        *("Const", "HostConst", "Placeholder", "PlaceholderV2", "PlaceholderWithDefault", "ImmutableConst", "Fill"),
        *("ZerosLike", "OnesLike", "Range", "LinSpace", "Empty", "EmptyTensorList", "_Arg", "_Retval", "_DeviceArg"),
        *("_DeviceRetval", "_Send", "_Recv", "_HostSend", "_HostRecv", "FakeParam", "OneHot"),
    ),
    "holds or copies a variable": (
        *("Variable", "VariableV2", "VarHandleOp", "_VarHandlesOp", "TemporaryVariable", "DestroyTemporaryVariable"),
        *("Assign", "AssignVariableOp", "ReadVariableOp", "_ReadVariablesOp", "IsVariableInitialized"),
        *("VarIsInitializedOp", "DestroyResourceOp", "VariableShape", "ResourceGather", "ResourceGatherNd"),
        *("ScatterUpdate", "ResourceScatterUpdate", "ScatterNdUpdate", "ResourceScatterNdUpdate", "RefIdentity"),
    ),
    "passes its input on": (
        *("Identity", "IdentityN", "StopGradient", "PreventGradient", "CheckNumerics", "CheckNumericsV2", "Snapshot"),
        *("_EagerConst", "Bitcast", "Cast", "_HostCast", "DeepCopy", "NoOp", "ControlTrigger", "Assert", "Print"),
        *("PrintV2", "EnsureShape", "CopyHost", "Copy", "DebugIdentity", "DebugIdentityV2"),
        *("Real", "Imag", "Complex"),
    ),
    "moves elements": (
        *("Reshape", "Squeeze", "ExpandDims", "Transpose", "ConjugateTranspose", "InvertPermutation", "Pack", "Unpack"),
        *("Concat", "ConcatV2", "ConcatOffset", "_ParallelConcatStart", "ParallelConcat", "Split", "SplitV", "Slice"),
        *("StridedSlice", "StridedSliceGrad", "StridedSliceAssign", "ResourceStridedSliceAssign", "Gather", "GatherV2"),
        *("GatherNd", "ScatterNd", "TensorScatterUpdate", "Pad", "PadV2", "MirrorPad", "Tile", "BroadcastTo", "Where"),
        *("Select", "SelectV2", "Reverse", "ReverseV2", "ReverseSequence", "Roll", "SpaceToBatch", "SpaceToBatchND"),
        *("BatchToSpace", "BatchToSpaceND", "SpaceToDepth", "DepthToSpace", "ExtractImagePatches"),
        *("Diag", "DiagPart", "MatrixDiag", "MatrixDiagV2", "MatrixDiagV3", "MatrixDiagPart", "MatrixDiagPartV2"),
        *("MatrixDiagPartV3", "MatrixSetDiag", "MatrixSetDiagV2", "MatrixSetDiagV3", "MatrixBandPart"),
        *("DynamicStitch", "ParallelDynamicStitch", "DynamicPartition", "ResizeNearestNeighbor", "RandomShuffle"),
        *("SparseToDense", "SparseReshape", "SparseReorder", "SparseConcat", "SparseSlice", "InplaceUpdate"),
    ),
    "describes a tensor": (
        *("Shape", "ShapeN", "Rank", "Size", "BroadcastArgs", "BroadcastGradientArgs"),
        *("MklToTf", "Unique", "UniqueV2", "UniqueWithCounts", "ListDiff"),
    ),
    "steers control flow": (
        *("Enter", "Exit", "NextIteration", "Merge", "Switch", "LoopCond", "RefEnter", "RefExit", "RefNextIteration"),
        *("RefMerge", "RefSwitch", "RefSelect", "Abort", "_SwitchN", "MergeSummary"),
    ),
    "keeps data of a queue, stack, list or table": (
        *("TensorArray", "TensorArrayV2", "TensorArrayV3", "TensorArrayReadV3", "TensorArrayWriteV3"),
        *("TensorArrayGatherV3", "TensorArrayScatterV3", "TensorArrayConcatV3", "TensorArraySplitV3"),
        *("TensorArraySizeV3", "TensorArrayCloseV3", "TensorArrayGradV3", "TensorListFromTensor", "TensorListReserve"),
        *("TensorListGetItem", "TensorListSetItem", "TensorListStack", "TensorListPushBack", "TensorListPopBack"),
        *("TensorListElementShape", "TensorListLength", "TensorListResize", "TensorListGather", "TensorListConcatV2"),
        *("StackV2", "StackPushV2", "StackPopV2", "StackCloseV2", "Stack", "StackPush", "StackPop"),
        *("AccumulatorNumAccumulated", "Barrier", "FIFOQueue", "FIFOQueueV2", "RandomShuffleQueue"),
        *("RandomShuffleQueueV2", "PaddingFIFOQueue", "PaddingFIFOQueueV2", "QueueEnqueue", "QueueEnqueueV2"),
        *("QueueEnqueueMany", "QueueEnqueueManyV2", "QueueDequeue", "QueueDequeueV2", "QueueDequeueMany"),
        *("QueueDequeueManyV2", "QueueDequeueUpToV2", "QueueClose", "QueueCloseV2", "QueueSize", "QueueSizeV2"),
        *("HashTable", "HashTableV2", "MutableHashTableV2", "LookupTableFind", "LookupTableFindV2"),
        *("LookupTableImport", "LookupTableImportV2", "LookupTableInsertV2", "LookupTableSize", "LookupTableSizeV2"),
        *("InitializeTable", "InitializeTableV2", "InitializeTableFromTextFile", "InitializeTableFromTextFileV2"),
        *("Iterator", "IteratorV2", "OneShotIterator", "IteratorGetNext", "IteratorGetNextSync", "MakeIterator"),
        *("OptionalFromValue", "OptionalGetValue", "OptionalHasValue", "OptionalNone", "Stage", "Unstage"),
    ),
    "reads or writes files, strings and summaries": (
        *("ReadFile", "WriteFile", "MatchingFiles", "ReaderRead", "ReaderReadV2", "TFRecordReaderV2"),
        *(
            "WholeFileReaderV2",
            "Save",
            "SaveV2",
            "SaveSlices",
            "Restore",
            "RestoreV2",
            "RestoreSlice",
            "MergeV2Checkpoints",
        ),
        *("ShardedFilename", "ShardedFilespec", "StringJoin", "StringSplit", "StringSplitV2", "AsString"),
        *("StringToNumber", "StringToHashBucketFast", "StringFormat", "StaticRegexReplace", "RegexReplace"),
        *("StaticRegexFullMatch", "DecodeRaw", "DecodeCSV", "DecodeJpeg", "DecodePng", "DecodeImage", "DecodeBase64"),
        *("EncodeBase64", "EncodeJpeg", "EncodePng", "ParseExample", "ParseExampleV2", "ParseSingleExample"),
        *("ScalarSummary", "HistogramSummary", "ImageSummary", "AudioSummary", "AudioSummaryV2", "TensorSummary"),
        *("TensorSummaryV2", "WriteSummary", "WriteScalarSummary", "WriteHistogramSummary", "WriteImageSummary"),
        *("CreateSummaryFileWriter", "SummaryWriter", "FlushSummaryWriter", "CloseSummaryWriter", "Timestamp"),
    ),
    "draws random bits: integer arithmetic, which is not counted": (
        *("RandomUniform", "RandomUniformInt", "RandomStandardNormal", "TruncatedNormal"),
        *("ParameterizedTruncatedNormal", "RandomGamma"),
        *("Multinomial", "StatelessRandomUniform", "StatelessRandomUniformV2", "StatelessRandomNormal"),
        *("StatelessRandomNormalV2", "StatelessTruncatedNormal", "StatelessTruncatedNormalV2", "StatelessMultinomial"),
        *("StatelessRandomUniformInt", "StatelessRandomUniformIntV2", "StatelessRandomGetKeyCounter"),
        *("StatelessRandomGetAlg", "StatelessRandomGetKeyCounterAlg", "RngReadAndSkip", "RngSkip"),
        *("StatefulUniform", "StatefulStandardNormalV2", "StatefulTruncatedNormal", "StatefulUniformInt"),
    ),
}

NO_ARITHMETIC = tuple(
    Rule(
        ops=ops,
        formula=lambda n: np.zeros(len(n.inputs), dtype=n.dtype),
        needs={},
        text="0",
        source=f"TensorFlow's op definitions: {why}",
        kind=OpClass.NO_ARITHMETIC,
    )
    for why, ops in _ZERO.items()
)
