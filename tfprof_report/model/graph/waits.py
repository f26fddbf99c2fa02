"""Op types that wait for others: for another device or process, for input data, for the functions that they call."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, to_bools
from tfprof_report.ingest.activity import Activity
from tfprof_report.ingest.run_activity import CALLS, OPS

_CALLS = rf"{CALLS}|_?XlaRun|XlaLaunch|while|conditional|call"  # the last three of XLA
"""They take as long as the bodies of their functions."""

_WAITS = (
    r"XlaRecv\w*|OutfeedDequeue\w*|RecvTPUEmbedding\w*|Rpc\w*"
    r"|DatasetToSingleElement|(OrderedMap|Map)Unstage\w*"
    r"|BarrierTakeMany|(Resource|Sparse)?(Accumulator|Conditional)TakeGradient|MutexLock"
    # instructions of XLA
    r"|(all-reduce|all-gather|all-to-all|reduce-scatter|collective-[\w-]+?|recv|infeed)(-start|-done)?"
)

_SENDS = r"XlaSend\w*|InfeedEnqueue\w*|OutfeedEnqueue\w*|SendTPUEmbedding\w*|(send|outfeed)(-done)?"

_IDLE = "|".join(
    (_WAITS, _CALLS, *(OPS[kind] for kind in (Activity.INPUT_WAIT, Activity.COLLECTIVE, Activity.RECEIVE)))
)


def is_wait(ops: pa.Array) -> Bools:
    """Return which op types mostly wait, so that their time says nothing of the device; False for NULL.

    They are the ops whose kernels in TensorFlow block until a value is there (rendezvous, collectives, iterators,
    queues), and calls of functions, which end when their bodies end.
    """
    return _are(ops, _IDLE)


def is_transfer(ops: pa.Array) -> Bools:
    """Return which op types wait, or hand data to another device or process; False for NULL."""
    return _are(ops, f"{_IDLE}|{_SENDS}|{OPS[Activity.SEND]}")


def _are(ops: pa.Array, pattern: str) -> Bools:
    codes = ops.dictionary_encode()
    found = pc.match_substring_regex(codes.dictionary, f"^({pattern})$")
    return to_bools(pc.fill_null(found.take(codes.indices), fill_value=False))
