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
APART = {"param_kind": "unused", "param_kind_is_guess": False, "params": 0, "param_bytes": 0}
UNUSED = [
    {**APART, "unused_params": 7, "unused_param_bytes": 28},
    {**APART, "params": None, "param_bytes": None, "unused_params": None, "unused_param_bytes": None},
]
NODES = pa.Table.from_pylist(
    [{**row, "unused_params": 0, "unused_param_bytes": 0} for row in ROWS],
    schema=pa.schema(
        [
            ("param_kind", pa.dictionary(pa.int32(), pa.string())),
            ("param_kind_is_guess", pa.bool_()),
            ("params", pa.int64()),
            ("param_bytes", pa.int64()),
            ("unused_params", pa.int64()),
            ("unused_param_bytes", pa.int64()),
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


def test_unused_parameters_have_a_kind_but_only_unknown_ones_are_in_the_total_of_all() -> None:
    held = [NODES, pa.Table.from_pylist(UNUSED, schema=NODES.schema)]
    *_, unused, _, every = totals_by_kind(pa.concat_tables(held, promote_options="permissive"))
    assert unused == ParamTotal(kind="unused", nodes=2, guesses=0, known=1, params=7, param_bytes=28)
    assert every == ParamTotal(kind="all", nodes=6, guesses=3, known=3, params=2**63 + 5, param_bytes=28)


def test_where_all_are_unused_the_total_is_0() -> None:
    *_, every = totals_by_kind(pa.Table.from_pylist(UNUSED[:1], schema=NODES.schema))
    assert every == ParamTotal(kind="all", nodes=0, guesses=0, known=0, params=0, param_bytes=0)
