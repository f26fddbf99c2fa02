from __future__ import annotations

from measured import Figures, side_of, view_of

from tfprof_report.compare.causes.carriers import Carried, Carrier
from tfprof_report.compare.causes.flops import FlopReason, FlopReasons
from tfprof_report.compare.compare import compare
from tfprof_report.compare.comparison import RowStatus
from tfprof_report.render.tables.causes_tables import carriers_table, flops_table, split_tables
from tfprof_report.render.tables.cells import Table

MINUS, DASH = "\N{MINUS SIGN}", "\N{EN DASH}"


def texts(table: Table) -> list[list[str]]:
    return [[cell.text for cell in row] for row in table.rows]


def split(base: dict[str, Figures], head: dict[str, Figures], limit: int = 9) -> tuple[Table, ...]:
    views = [side_of({}, views={"op": view_of(rows)}) for rows in (base, head)]
    return split_tables(compare(*views).views["op"], limit)


def test_scopes_are_indented_and_other_scopes_are_summed_up() -> None:
    table = carriers_table(
        Carried(
            stem="params",
            delta=10,
            rows=(
                Carrier(name="a", label="a", depth=0, delta=12, share=120.0, status=RowStatus.CHANGED),
                Carrier(name="a/b", label="b", depth=1, delta=9, share=75.0, status=RowStatus.NEW),
                Carrier(name="a", label="", depth=1, delta=3, share=25.0, is_rest=True, others=4, largest=2),
                Carrier(name="c", label="c", depth=0, delta=-1, share=-10.0, is_unknown=True),
                Carrier(name=None, label="", depth=0, delta=-1, share=-10.0, is_rest=True),
            ),
        )
    )
    assert texts(table) == [
        ["a", "changed", "+12", "120.00 %"],
        ["b", "new", "+9", "75.00 %"],
        ["4 others, the largest +2", "", "+3", "25.00 %"],
        ["c", "unknown on a side", f"{MINUS}1", f"{MINUS}10.00 %"],
        ["itself", "", f"{MINUS}1", f"{MINUS}10.00 %"],
    ]
    assert [row[0].depth for row in table.rows] == [0, 1, 1, 0, 0]
    assert table.rows[1][0].exact == "a/b"


def test_op_types_are_split_and_the_largest_change_comes_first() -> None:
    base: dict[str, Figures] = {
        "MatMul": {"float_ops": 10, "params": 0, "definition_count": 2},
        "Add": {"float_ops": 2, "params": 0, "definition_count": 1},
        "Same": {"float_ops": 3, "params": 0, "definition_count": 1},
    }
    head: dict[str, Figures] = {
        "MatMul": {"float_ops": 30, "params": 0, "definition_count": 3},
        "Same": {"float_ops": 3, "params": 0, "definition_count": 1},
    }
    (table,) = split(base, head)
    assert table.caption == "FLOPs: more nodes of an op type, or each one bigger"
    assert texts(table) == [
        ["MatMul", "changed", "2", "3", "+20", "+5", "+15"],
        ["Add", "removed", "1", DASH, f"{MINUS}2", f"{MINUS}2", "0"],
    ]


def test_op_types_that_are_cut_are_counted_with_the_largest_change() -> None:
    sizes = {"a": 9, "b": 3, "c": 2}
    base: dict[str, Figures] = {name: {"params": 1, "definition_count": 1} for name in sizes}
    head: dict[str, Figures] = {name: {"params": size, "definition_count": 1} for name, size in sizes.items()}
    (table,) = split(base, head, 1)
    assert table.left_out == ("Shows 1 of 3 op types that changed; 2 are left out, the largest +2 (diff_op.parquet).")


def test_op_types_that_did_not_change_need_no_table() -> None:
    assert split({"a": {"params": 1}}, {"a": {"params": 1}}) == ()


def test_a_node_without_a_known_reason_says_so() -> None:
    rows = (
        FlopReason(name="n", base=1, head=3, delta=2, why=("input 0: 1 → 3", "runs 1 → 2 times")),
        FlopReason(name="m", base=2, head=1, delta=-1, why=()),
        FlopReason(name="o", base=2, head=1, delta=-1, why=()),
    )
    table = flops_table(FlopReasons(rows=rows, count=5), 2)
    assert texts(table) == [
        ["n", "+2", "input 0: 1 → 3; runs 1 → 2 times"],
        ["m", f"{MINUS}1", "no shape is known"],
    ]
    assert table.left_out.endswith(f"3 are left out, the largest {MINUS}1 (diff_nodes.parquet).")
