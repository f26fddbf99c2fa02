"""Op view on a total below zero, against text that the native tool printed."""

from __future__ import annotations

import pytest
from messages import entry, graph, node, op_log
from queries import rows_of, table_of

from tfprof_report.semantics import TFPROF

# Per case the FLOPs of the op log for A, B, C and D, and the rows of the native tool, in the order of the names.
NATIVE = {
    "a share of a cumulated 0 beside a share of 0": (
        (-2, 0, 1, 0),
        [
            "B 0 float_ops (-100.00%, -0.00%)",
            "C 1 float_ops (-100.00%, -100.00%)",
            "D 0 float_ops (0.00%, 0.00%)",
        ],
    ),
    "a cumulated row alone": (
        (0, -2, 0, 1),
        ["C 0 float_ops (-100.00%, -0.00%)", "D 1 float_ops (-100.00%, -100.00%)"],
    ),
    "rows of 0 alone": ((0, -2, 0, 0), ["C 0 float_ops (0.00%, 0.00%)", "D 0 float_ops (0.00%, 0.00%)"]),
}


@pytest.mark.parametrize("case", NATIVE)
def test_a_share_of_zero_in_a_negative_total_keeps_the_sign_of_its_division(case: str) -> None:
    figures, rows = NATIVE[case]
    names = dict(zip("ABCD", figures, strict=True))
    table = table_of(
        graph(*(node(op.lower(), op) for op in names)),
        op_log=op_log(*(entry(op.lower(), float_ops=count) for op, count in names.items())),
    )
    assert rows_of(table, "op", TFPROF, order_by="name", select=("float_ops",)) == rows
