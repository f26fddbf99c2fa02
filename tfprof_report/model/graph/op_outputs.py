"""The names of the outputs, in order, of op types with several outputs.

A function body writes ``node:name:index`` where a graph writes ``node:index``. The table comes from the op registry of
TensorFlow 2.21. It leaves out op types with a list of tensors before the last output, because the length of the list
shifts the outputs after it, and some that do not occur in functions of models.
"""

from __future__ import annotations

from functools import cache

import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Ints, to_ints


def count_outputs(op: str) -> int:
    """Return the number of outputs of an op type; 1 for one that the table lacks."""
    return len(_names().get(op, (op,)))


def output_places(ops: pa.Array, outputs: pa.Array) -> Ints:
    """Return per pair of op type and output name the index of the output's first tensor; 0 if it is not known."""
    pairs, places = _places()
    asked = pc.binary_join_element_wise(ops, outputs, ":")
    return to_ints(pc.fill_null(places.take(pc.index_in(asked, value_set=pairs)), 0))


@cache
def _names() -> dict[str, list[str]]:
    return {op: names for op, *names in map(str.split, _OUTPUTS.splitlines())}


@cache
def _places() -> tuple[pa.Array, pa.Array]:
    places = {f"{op}:{name}": place for op, names in _names().items() for place, name in enumerate(names)}
    return pa.array(list(places), pa.string()), pa.array(list(places.values()))


_OUTPUTS = """\
AllCandidateSampler sampled_candidates true_expected_count sampled_expected_count
AnonymousIteratorV2 handle deleter
AnonymousMemoryCache handle deleter
AnonymousMultiDeviceIterator handle deleter
AnonymousRandomSeedGenerator handle deleter
AnonymousSeedGenerator handle deleter
ApproxTopK values indices
BarrierTakeMany indices keys values
BatchNormWithGlobalNormalizationGrad dx dm dv db dg
BatchSelfAdjointEigV2 e v
BatchSvd s u v
BlockLSTM i cs f o ci co h
BlockLSTMGrad x_grad cs_prev_grad h_prev_grad w_grad wci_grad wcf_grad wco_grad b_grad
BlockLSTMGradV2 x_grad cs_prev_grad h_prev_grad w_grad wci_grad wcf_grad wco_grad b_grad
BlockLSTMV2 i cs f o ci co h
BroadcastGradientArgs r0 r1
CSRSparseMatrixComponents row_ptrs col_inds values
CSRSparseMatrixToSparseTensor indices values dense_shape
CTCGreedyDecoder decoded_indices decoded_values decoded_shape log_probability
CTCLoss loss gradient
CTCLossV2 loss gradient
CollectiveAssignGroupV2 group_size group_key
CombinedNonMaxSuppression nmsed_boxes nmsed_scores nmsed_classes valid_detections
ComputeAccidentalHits indices ids weights
CudnnRNN output output_h output_c reserve_space
CudnnRNNBackprop input_backprop input_h_backprop input_c_backprop params_backprop
CudnnRNNBackpropV2 input_backprop input_h_backprop input_c_backprop params_backprop
CudnnRNNBackpropV3 input_backprop input_h_backprop input_c_backprop params_backprop
CudnnRNNV2 output output_h output_c reserve_space host_reserved
CudnnRNNV3 output output_h output_c reserve_space host_reserved
CustomAggregator output min max histogram
DecodeProtoV2 sizes values
DecodeWav audio sample_rate
DenseCountSparseOutput output_indices output_values output_dense_shape
DenseToDenseSetOperation result_indices result_values result_shape
DenseToSparseSetOperation result_indices result_values result_shape
DeserializeManySparse sparse_indices sparse_values sparse_shape
DeserializeSparse sparse_indices sparse_values sparse_shape
Eig e v
FakeQuantWithMinMaxVarsGradient backprops_wrt_input backprop_wrt_min backprop_wrt_max
FakeQuantWithMinMaxVarsPerChannelGradient backprops_wrt_input backprop_wrt_min backprop_wrt_max
FinalizeTPUEmbeddingV2 embedding_partitions hbm_buffers_config
FiveFloatOutputs a b c d e
FixedUnigramCandidateSampler sampled_candidates true_expected_count sampled_expected_count
FloatOutputStringOutput a b
Foo1 d e
Foo2 d e
Foo3 d e
FractionalAvgPool output row_pooling_sequence col_pooling_sequence
FractionalMaxPool output row_pooling_sequence col_pooling_sequence
FusedBatchNorm y batch_mean batch_variance reserve_space_1 reserve_space_2
FusedBatchNormGrad x_backprop scale_backprop offset_backprop reserve_space_3 reserve_space_4
FusedBatchNormGradV2 x_backprop scale_backprop offset_backprop reserve_space_3 reserve_space_4
FusedBatchNormGradV3 x_backprop scale_backprop offset_backprop reserve_space_4 reserve_space_5
FusedBatchNormV2 y batch_mean batch_variance reserve_space_1 reserve_space_2
FusedBatchNormV3 y batch_mean batch_variance reserve_space_1 reserve_space_2 reserve_space_3
GRUBlockCell r u c h
GRUBlockCellGrad d_x d_h_prev d_c_bar d_r_bar_u_bar
GenerateBoundingBoxProposals rois roi_probabilities
GenerateVocabRemapping remapping num_present
GetStatsFromListOfSparseCoreCooTensors max_ids_per_sparse_core max_unique_ids_per_sparse_core
IntOutputFloatOutput a b
IsotonicRegression output segments
LSTMBlockCell i cs f o ci co h
LSTMBlockCellGrad cs_prev_grad dicfo wci_grad wcf_grad wco_grad
LearnedUnigramCandidateSampler sampled_candidates true_expected_count sampled_expected_count
ListDiff out idx
LogMatrixDeterminant sign log_abs_determinant
LogUniformCandidateSampler sampled_candidates true_expected_count sampled_expected_count
LookupTableExport keys values
LookupTableExportV2 keys values
Lu lu p
MapUnstageNoKey key values
MaxPoolWithArgmax output argmax
Merge output value_index
Namespace>TestStringOutput output1 output2
NearestNeighbors nearest_center_indices nearest_center_distances
NonMaxSuppressionV4 selected_indices valid_outputs
NonMaxSuppressionV5 selected_indices selected_scores valid_outputs
OrderedMapUnstageNoKey key values
Qr q r
QuantizeAndDequantizeV4Grad input_backprop input_min_backprop input_max_backprop
QuantizeDownAndShrinkRange output output_min output_max
QuantizeV2 output output_min output_max
QuantizedAdd z min_z max_z
QuantizedAvgPool output min_output max_output
QuantizedBatchNormWithGlobalNormalization result result_min result_max
QuantizedBiasAdd output min_out max_out
QuantizedConcat output output_min output_max
QuantizedConcatV2 output output_min output_max
QuantizedConv2D output min_output max_output
QuantizedConv2DAndRelu output min_output max_output
QuantizedConv2DAndReluAndRequantize output min_output max_output
QuantizedConv2DAndRequantize output min_output max_output
QuantizedConv2DPerChannel output min_output max_output
QuantizedConv2DWithBias output min_output max_output
QuantizedConv2DWithBiasAndRelu output min_output max_output
QuantizedConv2DWithBiasAndReluAndRequantize output min_output max_output
QuantizedConv2DWithBiasAndRequantize output min_output max_output
QuantizedConv2DWithBiasSignedSumAndReluAndRequantize output min_output max_output
QuantizedConv2DWithBiasSumAndRelu output min_output max_output
QuantizedConv2DWithBiasSumAndReluAndRequantize output min_output max_output
QuantizedDepthwiseConv2D output min_output max_output
QuantizedDepthwiseConv2DWithBias output min_output max_output
QuantizedDepthwiseConv2DWithBiasAndRelu output min_output max_output
QuantizedDepthwiseConv2DWithBiasAndReluAndRequantize output min_output max_output
QuantizedInstanceNorm y y_min y_max
QuantizedMatMul out min_out max_out
QuantizedMatMulWithBias out min_out max_out
QuantizedMatMulWithBiasAndRelu out min_out max_out
QuantizedMatMulWithBiasAndReluAndRequantize out min_out max_out
QuantizedMatMulWithBiasAndRequantize out min_out max_out
QuantizedMaxPool output min_output max_output
QuantizedMul z min_z max_z
QuantizedRelu activations min_activations max_activations
QuantizedRelu6 activations min_activations max_activations
QuantizedReluX activations min_activations max_activations
QuantizedReshape output output_min output_max
QuantizedResizeBilinear resized_images out_min out_max
RaggedCountSparseOutput output_indices output_values output_dense_shape
RaggedCross output_values output_row_splits
RaggedFillEmptyRows output_value_rowids output_values empty_row_indicator reverse_index_map
RaggedFillEmptyRowsGrad d_values d_default_value
RaggedRange rt_nested_splits rt_dense_values
RaggedTensorToSparse sparse_indices sparse_values sparse_dense_shape
ReaderRead key value
ReaderReadUpTo keys values
ReaderReadUpToV2 keys values
ReaderReadV2 key value
RefMerge output value_index
RefOutputFloatOutput a b
RefSwitch output_false output_true
RequantizationRange output_min output_max
RequantizationRangePerChannel output_min output_max
Requantize output output_min output_max
RequantizePerChannel output output_min output_max
RetrieveTPUEmbeddingADAMParameters parameters momenta velocities
RetrieveTPUEmbeddingAdadeltaParameters parameters accumulators updates
RetrieveTPUEmbeddingAdagradMomentumParameters parameters accumulators momenta
RetrieveTPUEmbeddingAdagradParameters parameters accumulators
RetrieveTPUEmbeddingCenteredRMSPropParameters parameters ms mom mg
RetrieveTPUEmbeddingFTRLParameters parameters accumulators linears
RetrieveTPUEmbeddingFrequencyEstimatorParameters parameters last_hit_step
RetrieveTPUEmbeddingMDLAdagradLightParameters parameters accumulators weights benefits
RetrieveTPUEmbeddingMomentumParameters parameters momenta
RetrieveTPUEmbeddingProximalAdagradParameters parameters accumulators
RetrieveTPUEmbeddingProximalYogiParameters parameters v m
RetrieveTPUEmbeddingRMSPropParameters parameters ms mom
RpcCall future deleter
RpcCheckStatus error_code error
RpcClient client method_specs
SampleDistortedBoundingBox begin size bboxes
SampleDistortedBoundingBoxV2 begin size bboxes
SelfAdjointEigV2 e v
Skipgram vocab_word vocab_freq words_per_epoch current_epoch total_words_processed examples labels
SoftmaxCrossEntropyWithLogits loss backprop
SortListOfSparseCoreCooTensors sorted_row_ids sorted_col_ids sorted_gains id_counts
SparseAccumulatorTakeGradient indices values shape
SparseAdd sum_indices sum_values sum_shape
SparseAddGrad a_val_grad b_val_grad
SparseConcat output_indices output_values output_shape
SparseCountSparseOutput output_indices output_values output_dense_shape
SparseCross output_indices output_values output_shape
SparseCrossHashed output_indices output_values output_shape
SparseCrossV2 output_indices output_values output_shape
SparseFillEmptyRows output_indices output_values empty_row_indicator reverse_index_map
SparseFillEmptyRowsGrad d_values d_default_value
SparseReduceMaxSparse output_indices output_values output_shape
SparseReduceSumSparse output_indices output_values output_shape
SparseReorder output_indices output_values
SparseReshape output_indices output_shape
SparseSegmentMeanGradV2 output sorted_unique_indices
SparseSegmentSqrtNGradV2 output sorted_unique_indices
SparseSegmentSumGradV2 output sorted_unique_indices
SparseSlice output_indices output_values output_shape
SparseSoftmaxCrossEntropyWithLogits loss backprop
SparseSparseMaximum output_indices output_values
SparseSparseMinimum output_indices output_values
SparseToSparseSetOperation result_indices result_values result_shape
SplitDedupData integer_tensor float_tensor
StatelessRandomGetKeyCounter key counter
StatelessRandomGetKeyCounterAlg key counter alg
StatelessSampleDistortedBoundingBox begin size bboxes
StringNGrams ngrams ngrams_splits
StringSplit indices values shape
StringSplitV2 indices values shape
Svd s u v
Switch output_false output_true
TakeManySparseFromTensorsMap sparse_indices sparse_values sparse_shape
TensorArrayConcat value lengths
TensorArrayConcatV2 value lengths
TensorArrayConcatV3 value lengths
TensorArrayGradV3 grad_handle flow_out
TensorArrayGradWithShape grad_handle flow_out
TensorArrayV3 handle flow
TensorListConcat tensor lengths
TensorListConcatV2 tensor lengths
TensorListPopBack output_handle tensor
ThreadUnsafeUnigramCandidateSampler sampled_candidates true_expected_count sampled_expected_count
TopK values indices
TopKUnique topk topk_indices
TopKV2 values indices
TopKWithUnique topk topk_indices
TwoFloatOutputs a b
TwoIntOutputs a b
UnicodeDecode row_splits char_values
UnicodeDecodeWithOffsets row_splits char_values char_to_byte_starts
UniformCandidateSampler sampled_candidates true_expected_count sampled_expected_count
Unique y idx
UniqueV2 y idx
UniqueWithCounts y idx count
UniqueWithCountsV2 y idx count
_FusedBatchNormEx y batch_mean batch_variance reserve_space_1 reserve_space_2 reserve_space_3
_FusedBatchNormGradEx x_backprop scale_backprop offset_backprop reserve_space_4 reserve_space_5 side_input_backprop
_QuantizedMaxPool3D output min_output max_output
__MklDummyConv2DBackpropFilterWithBias output bias_grad
__MklDummyPadWithFusedConv2D output filter_output mkl_output mkl_filter_output
"""
