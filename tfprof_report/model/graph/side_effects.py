"""Op types that change something outside of the values that they return, so that TensorFlow runs them unasked."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, to_bools

_WRITES = (
    # variables, by handle and by reference
    r"Assign(Add|Sub)?(VariableOp)?|AssignVariableXlaConcatND|(Resource)?(Sparse)?Apply[A-Z]\w*|(Resource)?CountUpTo"
    r"|(Resource)?Scatter(Nd)?(Add|Sub|Update|Mul|Div|Min|Max)|(Resource)?StridedSliceAssign|DestroyResourceOp"
    r"|DestroyTemporaryVariable|RngSkip|RngReadAndSkip|NonDeterministicInts|DisableCopyOnRead"
    r"|Stateful(StandardNormal(V2)?|TruncatedNormal|Uniform\w*|RandomBinomial)"
    # tables, queues, stages, accumulators, barriers, iterators
    r"|LookupTable(Insert|Import|Remove)(V2)?|InitializeTable\w*|Queue(Enqueue|Dequeue|Close)\w*"
    r"|(OrderedMap|Map)?(Stage|Unstage)\w*|(OrderedMap|Map|Stage)Clear|(Resource)?Accumulator(Apply|Take)Gradient"
    r"|(Resource)?AccumulatorSetGlobalStep|Barrier(InsertMany|TakeMany|Close)|Iterator(GetNext\w*)|MakeIterator"
    r"|StackPush(V2)?|Add(Many)?SparseToTensorsMap|Delete\w+|Reader(Read|ReadUpTo|Reset|RestoreState)(V2)?|MutexLock|ConsumeMutexLock"
    # files, messages, checks, Python
    r"|Save(V2|Slices|Dataset\w*)?|Restore(V2|Slice)?|MergeV2Checkpoints|DistributedSave|WriteFile|DumpTensor"
    r"|Write\w*Summary|ImportEvent|(Flush|Close|Create)Summary\w*|Print(V2)?|Assert|CheckNumerics(V2)?"
    r"|Debug(Identity|NanCount|NumericSummary)\w*|(Eager)?PyFunc|DatasetTo(TFRecord|SingleElement)|Sleep\w*"
    # other devices and processes
    r"|_?(Host)?(Send|Recv)|(Infeed|Outfeed)\w+|Collective\w+|Nccl\w+|\w*TPUEmbedding\w*|Rpc\w+|RemoteCall|_?XlaHostCompute\w*"
    r"|Xla(Send|Recv)\w*"
)


def has_side_effect(ops: pa.Array) -> Bools:
    """Return which op types have a side effect; False for NULL.

    These are the types that TensorFlow's registry calls stateful (``REGISTER_OP ... SetIsStateful``) or that write
    to a reference, without those that only make a handle, only read (ReadVariableOp, ResourceGather), or only draw
    random numbers: auto_control_deps.py does not order these either. Calls of functions have the effects of their
    bodies. A custom op of a function with an effect is among the control outputs of the function.
    """
    codes = ops.dictionary_encode()
    found = pc.match_substring_regex(codes.dictionary, f"^({_WRITES})$")
    return to_bools(pc.fill_null(found.take(codes.indices), fill_value=False))
