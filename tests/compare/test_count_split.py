from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from measured import Figures, side_of, view_of

from tfprof_report.compare.compare import compare
from tfprof_report.compare.comparison import Comparison
from tfprof_report.compare.delta import moved_by


def op_views(base: dict[str, Figures], head: dict[str, Figures]) -> Comparison:
    return compare(side_of({}, views={"op": view_of(base)}), side_of({}, views={"op": view_of(head)}))


def parts(base: Figures, head: Figures, stem: str = "params") -> tuple[Any, Any]:
    row = op_views({"Op": base}, {"Op": head}).views["op"].to_pylist()[0]
    return row[f"more_{stem}"], row[f"bigger_{stem}"]


def test_more_nodes_take_what_those_of_base_took_and_the_rest_is_each_one_bigger() -> None:
    assert parts({"params": 30, "definition_count": 3}, {"params": 100, "definition_count": 5}) == (20, 50)
    assert parts({"params": 30, "definition_count": 3}, {"params": 5, "definition_count": 1}) == (-20, -5)


def test_as_many_nodes_as_before_are_each_bigger() -> None:
    assert parts({"params": 30, "definition_count": 3}, {"params": 33, "definition_count": 3}) == (0, 3)


def test_parts_of_whole_figures_are_whole_and_add_up() -> None:
    assert parts({"params": 10, "definition_count": 3}, {"params": 20, "definition_count": 4}) == (3, 7)


def test_parts_of_means_are_not_rounded() -> None:
    assert parts({"bytes": 3, "definition_count": 2}, {"bytes": 9, "definition_count": 3}, "bytes") == (1.5, 4.5)


def test_a_type_that_only_one_side_has_is_more_or_fewer_of_them() -> None:
    rows = op_views({"Gone": {"params": 7, "definition_count": 1}}, {"New": {"params": 9, "definition_count": 2}})
    found = {row["name"]: (row["more_params"], row["bigger_params"]) for row in rows.views["op"].to_pylist()}
    assert found == {"Gone": (-7, 0), "New": (9, 0)}


def test_unknown_figures_have_unknown_parts() -> None:
    assert parts({"params": None, "definition_count": 1}, {"params": 4, "definition_count": 2}) == (None, None)
    assert parts({"params": 4, "definition_count": None}, {"params": 5, "definition_count": 2}) == (None, None)


def test_parts_beyond_64_bits_are_unknown_instead_of_wrong() -> None:
    base, head = {"params": 2**62, "definition_count": 1}, {"params": 2**62, "definition_count": 9}
    assert parts(base, head) == (None, None)


def test_other_views_and_the_count_itself_are_not_split() -> None:
    view = view_of({"a": {"params": 1, "definition_count": 1}})
    views = compare(
        side_of({}, views={"op": view, "scope": view}), side_of({}, views={"op": view, "scope": view})
    ).views
    assert "more_definition_count" not in views["op"].column_names
    assert not any(name.startswith(("more_", "bigger_")) for name in views["scope"].column_names)


rows = st.dictionaries(
    st.sampled_from("abc"),
    st.fixed_dictionaries({"params": st.integers(-50, 50), "definition_count": st.integers(1, 5)}),
)


@pytest.mark.thorough
@given(rows, rows)
def test_both_parts_add_up_to_what_the_row_moved(base: dict[str, Figures], head: dict[str, Figures]) -> None:
    table = op_views(base, head).views["op"]
    for more, bigger, moved in zip(
        table["more_params"].to_pylist(),
        table["bigger_params"].to_pylist(),
        moved_by(table, "params").to_pylist(),
        strict=True,
    ):
        assert more + bigger == moved
