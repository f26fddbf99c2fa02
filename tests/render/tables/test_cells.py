"""Names in cells: one line each, however odd they are."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from tfprof_report.render.tables.cells import NAME_LIMIT, visible, visible_names

NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


@given(st.lists(NAMES, max_size=8))
def test_many_names_are_shown_as_each_of_them(names: list[str]) -> None:
    assert visible_names(pa.array(names, pa.string())) == [visible(name) for name in names]


def test_names_that_need_a_change_get_it() -> None:
    odd = ["", "a\nb", "\n", "a\u202eb", "\u00e9", "x" * (NAME_LIMIT + 1), "\u00e9" * NAME_LIMIT, "plain/name:0"]
    found = visible_names(pa.array(odd))
    assert found == [visible(name) for name in odd]
    assert found[0] == "(empty)"
    assert found[1] == "a\\nb"
    assert len(found[5]) <= NAME_LIMIT
    assert found[6:] == odd[6:]
