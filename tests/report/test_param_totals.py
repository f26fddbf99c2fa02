"""Parameters of each kind, added up."""

from __future__ import annotations

import pyarrow as pa

from tfprof_report.report.breakdowns import ParamTotal, totals_by_kind

ROWS = [
    {"param_kind": "trainable", "param_kind_is_guess": False, "params": 2**62, "param_bytes": None},
    {"param_kind": "slot", "param_kind_is_guess": True, "params": 5, "param_bytes": 20},
    {"param_kind": None, "param_kind_is_guess": None, "params": 0, "param_bytes": 0},
    {"param_kind": "slot", "param_kind_is_guess": True, "params": None, "param_bytes": None},
    {"param_kind": "trainable", "param_kind_is_guess": True, "params": 2**62, "param_bytes": 8},
    {"param_kind": "unknown", "param_kind_is_guess": False, "params": None, "param_bytes": None},
]
NODES = pa.Table.from_pylist(
    ROWS,
    schema=pa.schema(
        [
            ("param_kind", pa.dictionary(pa.int32(), pa.string())),
            ("param_kind_is_guess", pa.bool_()),
            ("params", pa.int64()),
            ("param_bytes", pa.int64()),
        ]
    ),
)


def test_every_kind_is_added_up_beyond_64_bits_and_all_of_them_last() -> None:
    assert totals_by_kind(NODES) == (
        ParamTotal(kind="trainable", nodes=2, guesses=1, known=2, params=2**63, param_bytes=8),
        ParamTotal(kind="slot", nodes=2, guesses=2, known=1, params=5, param_bytes=20),
        ParamTotal(kind="unknown", nodes=1, guesses=0, known=0, params=None, param_bytes=None),
        ParamTotal(kind="all", nodes=5, guesses=3, known=3, params=2**63 + 5, param_bytes=28),
    )


def test_a_graph_without_parameters_has_no_kinds() -> None:
    assert totals_by_kind(NODES.slice(2, 1)) == ()
