"""Op types that create, move or describe data without arithmetic on it: they have a known 0 FLOPs."""

from __future__ import annotations

import numpy as np

from tfprof_report.model.flops.rule import OpClass, Rule
from tfprof_report.model.graph.op_types import op_types

_PIPELINES = op_types("""
    BatchDataset CacheDataset CSVDataset FixedLengthRecordDataset PaddedBatchDataset ParallelInterleaveDataset
    ParallelMapDataset ParseExampleDataset RandomDataset RebatchDataset ShuffleAndRepeatDataset ShuffleDataset
    SnapshotDataset TFRecordDataset OptimizeDataset DataServiceDataset SaveDataset AnonymousIterator
    IteratorFromStringHandle
""")
"""Op types that also exist with the suffix V2."""

_ZERO = {
    "makes or names data": op_types("""
        Const HostConst Placeholder PlaceholderV2 PlaceholderWithDefault ImmutableConst Fill ZerosLike OnesLike Range
        LinSpace Empty EmptyTensorList _Arg _Retval _DeviceArg _DeviceRetval _Send _Recv _HostSend _HostRecv FakeParam
        OneHot Send Recv GetSessionHandle GetSessionHandleV2 GetSessionTensor DeleteSessionTensor DeviceIndex
        GlobalIterId DummySeedGenerator EmptyTensorMap
    """),
    "holds or copies a variable": op_types("""
        Variable VariableV2 VarHandleOp _VarHandlesOp TemporaryVariable DestroyTemporaryVariable Assign AssignVariableOp
        ReadVariableOp _ReadVariablesOp IsVariableInitialized VarIsInitializedOp DestroyResourceOp VariableShape
        ResourceGather ResourceGatherNd ScatterUpdate ResourceScatterUpdate ScatterNdUpdate ResourceScatterNdUpdate
        RefIdentity ReadVariableXlaSplitND AssignVariableXlaConcatND DisableCopyOnRead _XlaAotOnlyVarHandleOp CountUpTo
        ResourceCountUpTo
    """),
    "passes its input on": op_types("""
        Identity IdentityN StopGradient PreventGradient CheckNumerics CheckNumericsV2 Snapshot _EagerConst Bitcast Cast
        _HostCast DeepCopy NoOp ControlTrigger Assert Print PrintV2 EnsureShape CopyHost Copy DebugIdentity
        DebugIdentityV2 Real Imag Complex GuaranteeConst CheckPinned DebugNumericSummary DebugNumericSummaryV2
        DebugNanCount DebugGradientIdentity DebugGradientRefIdentity CopyToMesh CopyToMeshGrad Relayout RelayoutLike
        XlaSharding XlaOptimizationBarrier XlaSpmdFullToShardShape XlaSpmdShardToFullShape XlaSetBound
        XlaSetDynamicDimensionSize XlaRemoveDynamicDimensionSize XlaReducePrecision XlaClusterOutput
        TPUReplicateMetadata TPUReplicatedInput TPUReplicatedOutput TPUPartitionedInput TPUPartitionedInputV2
        TPUPartitionedOutput TPUPartitionedOutputV2 TPUCompilationResult TPUOrdinalSelector _ArrayToList _ListToArray
        SyncDevice
    """),
    "moves elements": op_types("""
        Reshape Squeeze ExpandDims Transpose ConjugateTranspose InvertPermutation Pack Unpack Concat ConcatV2
        ConcatOffset _ParallelConcatStart ParallelConcat Split SplitV Slice StridedSlice StridedSliceGrad
        StridedSliceAssign ResourceStridedSliceAssign Gather GatherV2 GatherNd ScatterNd TensorScatterUpdate Pad PadV2
        MirrorPad Tile BroadcastTo Where Select SelectV2 Reverse ReverseV2 ReverseSequence Roll SpaceToBatch
        SpaceToBatchND BatchToSpace BatchToSpaceND SpaceToDepth DepthToSpace ExtractImagePatches Diag DiagPart
        MatrixDiag MatrixDiagV2 MatrixDiagV3 MatrixDiagPart MatrixDiagPartV2 MatrixDiagPartV3 MatrixSetDiag
        MatrixSetDiagV2 MatrixSetDiagV3 MatrixBandPart DynamicStitch ParallelDynamicStitch DynamicPartition
        ResizeNearestNeighbor RandomShuffle SparseToDense SparseReshape SparseReorder SparseConcat SparseSlice
        InplaceUpdate BatchMatrixDiag BatchMatrixDiagPart BatchMatrixSetDiag BatchMatrixBandPart ExtractVolumePatches
        ExtractGlimpse ExtractGlimpseV2 DrawBoundingBoxes DrawBoundingBoxesV2 RandomCrop TensorStridedSliceUpdate
        MaxPoolGradGradWithArgmax SparseSplit SparseFillEmptyRows SparseFillEmptyRowsGrad SparseSliceGrad RaggedGather
        RaggedRange RaggedTensorFromVariant RaggedTensorToSparse RaggedTensorToTensor RaggedTensorToVariant
        RaggedFillEmptyRows QuantizedReshape QuantizedConcat QuantizedConcatV2 _MklQuantizedConcatV2
        _ParallelConcatUpdate XlaGather XlaDynamicSlice XlaDynamicUpdateSlice XlaPad XlaBroadcastHelper XlaConcatND
        XlaSplitND DataFormatVecPermute _ScopedAllocator _ScopedAllocatorConcat _ScopedAllocatorSplit Batch Unbatch
        UnbatchGrad StatelessShuffle CSRSparseMatrixToDense DenseToCSRSparseMatrix CSRSparseMatrixComponents
        CSRSparseMatrixToSparseTensor SparseTensorToCSRSparseMatrix SparseMatrixTranspose SparseMatrixZeros GatherTree
    """),
    "sends data from device to device": op_types("""
        CollectiveBcastSend CollectiveBcastSendV2 CollectiveBcastRecv CollectiveBcastRecvV2 CollectiveGather
        CollectiveGatherV2 CollectiveAllToAllV2 CollectiveAllToAllV3 CollectivePermute CollectiveAssignGroupV2
        CollectiveInitializeCommunicator AllToAll NcclBroadcast _NcclBroadcastSend _NcclBroadcastRecv DTensorAllGather
        DTensorAllScatter DTensorAllToAll InfeedEnqueue InfeedEnqueueTuple InfeedEnqueuePrelinearizedBuffer
        InfeedDequeue InfeedDequeueTuple OutfeedEnqueue OutfeedEnqueueTuple OutfeedDequeue OutfeedDequeueTuple
        OutfeedDequeueV2 OutfeedDequeueTupleV2 Prelinearize PrelinearizeTuple XlaSend XlaRecv XlaSendToHost
        XlaRecvFromHost
    """),
    "describes a tensor": op_types("""
        Shape ShapeN Rank Size BroadcastArgs BroadcastGradientArgs MklToTf _MklToTf Unique UniqueV2 UniqueWithCounts
        UniqueWithCountsV2 ListDiff DataFormatDimMap UnravelIndex SparseMatrixNNZ SetSize XlaReplicaId
    """),
    "steers control flow": op_types("""
        Enter Exit NextIteration Merge Switch LoopCond RefEnter RefExit RefNextIteration RefMerge RefSwitch RefSelect
        Abort _SwitchN MergeSummary
    """),
    "keeps data of a queue, stack, list or table": op_types("""
        TensorArray TensorArrayV2 TensorArrayV3 TensorArrayReadV3 TensorArrayWriteV3 TensorArrayGatherV3
        TensorArrayScatterV3 TensorArrayConcatV3 TensorArraySplitV3 TensorArraySizeV3 TensorArrayCloseV3
        TensorArrayGradV3 TensorListFromTensor TensorListReserve TensorListGetItem TensorListSetItem TensorListStack
        TensorListPushBack TensorListPopBack TensorListElementShape TensorListLength TensorListResize TensorListGather
        TensorListConcatV2 StackV2 StackPushV2 StackPopV2 StackCloseV2 Stack StackPush StackPop
        AccumulatorNumAccumulated Barrier FIFOQueue FIFOQueueV2 RandomShuffleQueue RandomShuffleQueueV2 PaddingFIFOQueue
        PaddingFIFOQueueV2 QueueEnqueue QueueEnqueueV2 QueueEnqueueMany QueueEnqueueManyV2 QueueDequeue QueueDequeueV2
        QueueDequeueMany QueueDequeueManyV2 QueueDequeueUpToV2 QueueClose QueueCloseV2 QueueSize QueueSizeV2 HashTable
        HashTableV2 MutableHashTableV2 LookupTableFind LookupTableFindV2 LookupTableImport LookupTableImportV2
        LookupTableInsertV2 LookupTableSize LookupTableSizeV2 InitializeTable InitializeTableV2
        InitializeTableFromTextFile InitializeTableFromTextFileV2 Iterator IteratorV2 OneShotIterator IteratorGetNext
        IteratorGetNextSync MakeIterator OptionalFromValue OptionalGetValue OptionalHasValue OptionalNone Stage Unstage
        StagePeek StageSize StageClear MapStage MapUnstage MapUnstageNoKey MapPeek MapSize MapIncompleteSize MapClear
        OrderedMapStage OrderedMapUnstage OrderedMapUnstageNoKey OrderedMapPeek OrderedMapSize OrderedMapIncompleteSize
        OrderedMapClear TensorArrayClose TensorArrayCloseV2 TensorArrayConcat TensorArrayConcatV2 TensorArrayGather
        TensorArrayGatherV2 TensorArrayGrad TensorArrayGradV2 TensorArrayGradWithShape TensorArrayPack TensorArrayRead
        TensorArrayReadV2 TensorArrayScatter TensorArrayScatterV2 TensorArraySize TensorArraySizeV2 TensorArraySplit
        TensorArraySplitV2 TensorArrayUnpack TensorArrayWrite TensorArrayWriteV2 TensorListConcat TensorListConcatLists
        TensorListPushBackBatch TensorListScatter TensorListScatterIntoExistingList TensorListScatterV2 TensorListSplit
        TensorMapErase TensorMapHasKey TensorMapInsert TensorMapLookup TensorMapSize TensorMapStackKeys PriorityQueue
        PriorityQueueV2 FakeQueue QueueDequeueUpTo QueueIsClosed QueueIsClosedV2 BarrierClose BarrierIncompleteSize
        BarrierInsertMany BarrierReadySize BarrierTakeMany ConditionalAccumulator AccumulatorSetGlobalStep
        SparseConditionalAccumulator ResourceConditionalAccumulator ResourceAccumulatorNumAccumulated
        ResourceAccumulatorSetGlobalStep MutexLock MutexV2 ConsumeMutexLock AnonymousHashTable
        AnonymousMutableDenseHashTable AnonymousMutableHashTable AnonymousMutableHashTableOfTensors LookupTableExport
        LookupTableExportV2 LookupTableInsert LookupTableRemoveV2 MutableDenseHashTable MutableDenseHashTableV2
        MutableHashTable MutableHashTableOfTensors MutableHashTableOfTensorsV2 StackClose AddSparseToTensorsMap
        AddManySparseToTensorsMap TakeManySparseFromTensorsMap
    """),
    "reads or writes files, strings and summaries": op_types("""
        ReadFile WriteFile MatchingFiles ReaderRead ReaderReadV2 TFRecordReaderV2 WholeFileReaderV2 Save SaveV2
        SaveSlices Restore RestoreV2 RestoreSlice MergeV2Checkpoints ShardedFilename ShardedFilespec StringJoin
        StringSplit StringSplitV2 AsString StringToNumber StringToHashBucketFast StringFormat StaticRegexReplace
        RegexReplace StaticRegexFullMatch DecodeRaw DecodeCSV DecodeJpeg DecodePng DecodeImage DecodeBase64 EncodeBase64
        EncodeJpeg EncodePng ParseExample ParseExampleV2 ParseSingleExample ScalarSummary HistogramSummary ImageSummary
        AudioSummary AudioSummaryV2 TensorSummary TensorSummaryV2 WriteSummary WriteScalarSummary WriteHistogramSummary
        WriteImageSummary CreateSummaryFileWriter SummaryWriter FlushSummaryWriter CloseSummaryWriter Timestamp
        CreateSummaryDbWriter WriteAudioSummary WriteGraphSummary WriteRawProtoSummary ImportEvent
        FixedLengthRecordReader FixedLengthRecordReaderV2 IdentityReader IdentityReaderV2 LMDBReader TFRecordReader
        TextLineReader TextLineReaderV2 WholeFileReader ReaderReadUpTo ReaderReadUpToV2 ReaderReset ReaderResetV2
        ReaderRestoreState ReaderRestoreStateV2 ReaderSerializeState ReaderSerializeStateV2 ReaderNumRecordsProduced
        ReaderNumRecordsProducedV2 ReaderNumWorkUnitsCompleted ReaderNumWorkUnitsCompletedV2 RecordInput DistributedSave
        DTensorRestoreV2 StringLength StringLower StringUpper StringStrip StringNGrams StringToHashBucket
        StringToHashBucketStrong _TensorToHashBucketFast ReduceJoin UnsortedSegmentJoin RegexFullMatch Substr
        UnicodeDecode UnicodeDecodeWithOffsets UnicodeEncode UnicodeScript UnicodeTranscode Fingerprint
        DecodeAndCropJpeg DecodeBmp DecodeCompressed DecodeGif DecodeJSONExample DecodePaddedRaw DecodeProtoV2
        EncodeProto DecodeWav EncodeWav DecodeWebP EncodeJpegVariableQuality ExtractJpegShape ParseSequenceExample
        ParseSequenceExampleV2 ParseSingleSequenceExample ParseTensor SerializeTensor SerializeSparse
        SerializeManySparse DeserializeSparse DeserializeManySparse CompressElement UncompressElement
        GenerateVocabRemapping LoadAndRemapMatrix
    """),
    "describes a pipeline of input data, whose own functions are not counted": (
        *_PIPELINES,
        *(f"{op}V2" for op in _PIPELINES),
        *op_types("""
            ParallelInterleaveDatasetV3 ParallelInterleaveDatasetV4 LegacyParallelInterleaveDatasetV2 ShuffleDatasetV3
            AnonymousIteratorV3 DataServiceDatasetV3 DataServiceDatasetV4 AssertCardinalityDataset AssertNextDataset
            AutoShardDataset BytesProducedStatsDataset ConcatenateDataset DatasetCardinality DatasetFromGraph
            DatasetToGraph DatasetToGraphV2 DenseToSparseBatchDataset DirectedInterleaveDataset FilterDataset
            FinalizeDataset FlatMapDataset GeneratorDataset GroupByReducerDataset GroupByWindowDataset
            IgnoreErrorsDataset InterleaveDataset LatencyStatsDataset LMDBDataset LoadDataset MapAndBatchDataset
            MapDataset MatchingFilesDataset MaxIntraOpParallelismDataset ModelDataset NonSerializableDataset
            OptionsDataset ParallelBatchDataset ParallelFilterDataset PrefetchDataset PrivateThreadPoolDataset
            RangeDataset RepeatDataset SamplingDataset ScanDataset SetStatsAggregatorDataset ShardDataset SkipDataset
            SlidingWindowDataset SparseTensorSliceDataset SqlDataset TakeDataset TakeWhileDataset TensorDataset
            TensorSliceDataset TextLineDataset ThreadPoolDataset UnbatchDataset UniqueDataset WindowDataset ZipDataset
            UnwrapDatasetVariant WrapDatasetVariant ExperimentalMapDataset ExperimentalMapAndBatchDataset
            ExperimentalParallelInterleaveDataset ExperimentalIgnoreErrorsDataset ExperimentalDirectedInterleaveDataset
            ExperimentalSqlDataset DeleteIterator DeserializeIterator SerializeIterator IteratorToStringHandle
            IteratorGetDevice IteratorGetNextAsOptional MultiDeviceIterator MultiDeviceIteratorInit
            AnonymousMultiDeviceIterator AnonymousMultiDeviceIteratorV3 DeleteMultiDeviceIterator
            MultiDeviceIteratorGetNextFromShard MultiDeviceIteratorToStringHandle MultiDeviceIteratorFromStringHandle
            InitializeTableFromDataset DeleteMemoryCache DummyMemoryCache AnonymousMemoryCache
            AnonymousRandomSeedGenerator AnonymousSeedGenerator DeleteRandomSeedGenerator DeleteSeedGenerator
            ThreadPoolHandle StatsAggregatorHandle
        """),
    ),
    "draws random bits: integer arithmetic, which is not counted": op_types("""
        RandomUniform RandomUniformInt RandomStandardNormal TruncatedNormal ParameterizedTruncatedNormal RandomGamma
        Multinomial StatelessRandomUniform StatelessRandomUniformV2 StatelessRandomNormal StatelessRandomNormalV2
        StatelessTruncatedNormal StatelessTruncatedNormalV2 StatelessMultinomial StatelessRandomUniformInt
        StatelessRandomUniformIntV2 StatelessRandomGetKeyCounter StatelessRandomGetAlg StatelessRandomGetKeyCounterAlg
        RngReadAndSkip RngSkip StatefulUniform StatefulStandardNormalV2 StatefulTruncatedNormal StatefulUniformInt
        StatefulStandardNormal StatefulUniformFullInt StatefulRandomBinomial NonDeterministicInts
        StatelessRandomUniformFullInt StatelessRandomUniformFullIntV2 StatelessRandomBinomial StatelessRandomGammaV2
        StatelessRandomGammaV3 StatelessRandomPoisson RandomPoisson RandomPoissonV2
        StatelessParameterizedTruncatedNormal RandomIndexShuffle SobolSample SampleDistortedBoundingBox
        SampleDistortedBoundingBoxV2 StatelessSampleDistortedBoundingBox AllCandidateSampler
        FixedUnigramCandidateSampler LearnedUnigramCandidateSampler LogUniformCandidateSampler
        ThreadUnsafeUnigramCandidateSampler UniformCandidateSampler ComputeAccidentalHits Skipgram XlaRngBitGenerator
    """),
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
