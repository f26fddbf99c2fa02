from __future__ import annotations

import pyarrow as pa

from tfprof_report.model.graph.waits import is_transfer, is_wait

WAITS = [
    *("_Recv", "_HostRecv", "Recv", "IteratorGetNext", "IteratorGetNextSync", "QueueDequeueManyV2", "Unstage"),
    *("CollectiveReduceV2", "NcclAllReduce", "CollectiveBcastRecvV2", "DatasetToSingleElement", "InfeedDequeueTuple"),
    *("PartitionedCall", "StatefulPartitionedCall", "StatelessWhile", "If", "all-reduce", "all-gather-done", "while"),
]
SENDS = ["_Send", "_HostSend", "Send", "OutfeedEnqueue", "send-done"]
OTHERS = ["MatMul", "Receive", "Identity", "Iterator", "QueueEnqueue", "fusion", "custom-call", "Select", None]


def test_what_waits_and_what_hands_data_on() -> None:
    ops = pa.array([*WAITS, *SENDS, *OTHERS])
    assert is_wait(ops).tolist() == [True] * len(WAITS) + [False] * (len(SENDS) + len(OTHERS))
    assert is_transfer(ops).tolist() == [True] * len(WAITS + SENDS) + [False] * len(OTHERS)
