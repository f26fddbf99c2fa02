"""Op types that wait for others: for another device or process, for input data, for the functions that they call."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, to_bools

_CALLS = r"(Stateful)?PartitionedCall|SymbolicGradient|RemoteCall|(Stateless)?(If|Case|While)|_?XlaRun|XlaLaunch"
"""They take as long as the bodies of their functions."""

_WAITS = (
    # from other devices and processes
    r"_?(Host)?Recv|XlaRecv\w*|Collective(Reduce|Gather|Permute|AllToAll|BcastSend|BcastRecv)\w*|_?Nccl\w+"
    r"|InfeedDequeue\w*|OutfeedDequeue\w*|RecvTPUEmbedding\w*|Rpc\w*"
    # from the pipeline of input data, queues, stages, accumulators, locks
    r"|(MultiDevice)?IteratorGetNext\w*|DatasetToSingleElement|QueueDequeue\w*|(OrderedMap|Map)?Unstage\w*"
    r"|BarrierTakeMany|(Resource|Sparse)?(Accumulator|Conditional)TakeGradient|MutexLock"
)

_SENDS = r"_?(Host)?Send|XlaSend\w*|InfeedEnqueue\w*|OutfeedEnqueue\w*|SendTPUEmbedding\w*"


def is_wait(ops: pa.Array) -> Bools:
    """Return which op types mostly wait, so that their time says nothing of the device; False for NULL.

    They are the ops whose kernels in TensorFlow block until a value is there (rendezvous, collectives, iterators,
    queues), and calls of functions, which end when their bodies end.
    """
    return _are(ops, f"{_WAITS}|{_CALLS}")


def is_transfer(ops: pa.Array) -> Bools:
    """Return which op types wait, or hand data to another device or process; False for NULL."""
    return _are(ops, f"{_WAITS}|{_CALLS}|{_SENDS}")


def _are(ops: pa.Array, pattern: str) -> Bools:
    codes = ops.dictionary_encode()
    found = pc.match_substring_regex(codes.dictionary, f"^({pattern})$")
    return to_bools(pc.fill_null(found.take(codes.indices), fill_value=False))
