from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tfprof_report.render.markdown.fit import short_names, shorten_apart
from tfprof_report.render.tables.cells import Cell, Column, Table, name_cell, text_cell


def table_with(*cells: Cell) -> Table:
    return Table(caption="x", columns=(Column("a"),), rows=tuple((cell,) for cell in cells))


def shown(table: Table) -> list[str]:
    return [row[0].text for row in table.rows]


def test_short_names_stay_as_they_are() -> None:
    assert shorten_apart(["a", "b" * 40], 40) == {"a": "a", "b" * 40: "b" * 40}


def test_names_that_differ_in_the_middle_keep_the_difference() -> None:
    start, end = "s" * 60, "e" * 60
    short = shorten_apart([f"{start}ONE{end}", f"{start}TWO{end}"], 40)
    assert short == {
        f"{start}ONE{end}": "ssssssssss…ssssssssONEeee…eeeeeeeeeeeeee",
        f"{start}TWO{end}": "ssssssssss…ssssssssTWOeee…eeeeeeeeeeeeee",
    }


def test_of_a_call_stack_the_last_calls_are_shown() -> None:
    path = f"{'main.py:1:run > ' * 9}model.py:80:unit > ops.py:8:op"
    assert shorten_apart([path], 50)[path] == "… > main.py:1:run > model.py:80:unit > ops.py:8:op"
    assert shorten_apart([path], 49)[path] == "… > model.py:80:unit > ops.py:8:op"


def test_paths_of_calls_that_share_their_ends_keep_the_difference() -> None:
    paths = [f"{'main.py:1:run > ' * 9}model.py:{line}:unit > {'ops.py:7:wrap > ' * 9}ops.py:8:op" for line in (80, 82)]
    short = shorten_apart(paths, 60)
    assert ["model.py:80:" in short[paths[0]], "model.py:82:" in short[paths[1]]] == [True, True]


@given(st.lists(st.text(alphabet="ab/", min_size=1, max_size=60), max_size=12, unique=True))
def test_different_names_stay_different(names: list[str]) -> None:
    short = shorten_apart(names, 20)
    assert len(set(short.values())) == len(names)
    assert max(map(len, short.values()), default=0) <= 20
    assert all(short[name] == name for name in names if len(name) <= 20)


def test_a_row_of_a_tree_has_its_name_relative_to_its_parent() -> None:
    rows = [
        name_cell("a", exact="a"),
        name_cell("b", exact="a/b", depth=1),
        name_cell("d", exact="a/b/c/d", depth=2),  # a/b/c is hidden
        name_cell("f", exact="e/f"),  # e is hidden
        name_cell("run.py:1:go", exact="src/run.py:1:go"),
        name_cell("run.py:2:on", exact="src/run.py:2:on", depth=1),
    ]
    assert shown(short_names(table_with(*rows), 99)) == ["a", "b", "c/d", "e/f", "src/run.py:1:go", "src/run.py:2:on"]


def test_a_node_below_another_in_graph_view_keeps_its_name() -> None:
    assert shown(short_names(table_with(name_cell("a"), name_cell("a/b", depth=1)), 99)) == ["a", "a/b"]


def test_words_are_not_shortened() -> None:
    assert shown(short_names(table_with(text_cell("w" * 200)), 40)) == ["w" * 200]
