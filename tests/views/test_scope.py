from __future__ import annotations

import pyarrow as pa
import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from messages import graph, node
from queries import rows_of, table_of, view_of

from tfprof_report.errors import InputError
from tfprof_report.views import scope
from tfprof_report.views.scope import build_scope_layout

Row = tuple[str, str, int, int]


def rows(names: list[str]) -> list[Row]:
    layout = build_scope_layout(pa.array(names, pa.string()))
    columns = (layout.names.to_pylist(), layout.leaves.to_pylist(), layout.forest.depth.tolist(), layout.node.tolist())
    return list(zip(*columns, strict=True))


def expected(names: list[str]) -> list[Row]:
    """Return the rows by recursion: the parent of a name is the part before its last slash."""
    every = set(names)
    for name in names:
        every |= {name[:place] for place, char in enumerate(name) if char == "/"}

    def below(parent: str | None, depth: int) -> list[Row]:
        children = [name for name in every if (name.rpartition("/")[0] if "/" in name else None) == parent]
        return [
            row
            for name in sorted(children, key=str.encode)
            for row in (
                (name, name.rpartition("/")[2], depth, names.index(name) if name in names else -1),
                *below(name, depth + 1),
            )
        ]

    return below(None, 1)


@settings(max_examples=examples(300), deadline=None)
@given(st.lists(st.text("ab/-\x00\x01\x02é0", max_size=6), max_size=8, unique=True))
def test_the_tree_of_any_names_is_that_of_their_slashes(names: list[str]) -> None:
    assert rows(names) == expected(names)


def test_odd_slashes_make_scopes_with_odd_names() -> None:
    assert rows(["/a", "b//c", "d/", "b"]) == [
        ("", "", 1, -1),
        ("/a", "a", 2, 0),
        ("b", "b", 1, 3),
        ("b/", "", 2, -1),
        ("b//c", "c", 3, 1),
        ("d", "d", 1, -1),
        ("d/", "", 2, 2),
    ]


def test_siblings_stand_in_the_order_of_their_bytes_not_of_their_full_names() -> None:
    assert [row[0] for row in rows(["a/x", "a-b", "a", "é", "z"])] == ["a", "a/x", "a-b", "z", "é"]


def test_a_name_of_many_slashes_is_refused_before_its_scopes_take_the_memory() -> None:
    with pytest.raises(InputError, match=r"node names imply scopes whose names take 999,999,000,000 bytes"):
        build_scope_layout(pa.array(["a/" * 999_999 + "b"]))


def test_the_limit_counts_bytes_of_names_of_implied_scopes_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scope, "MAX_IMPLIED_BYTES", 8)
    assert len(build_scope_layout(pa.array(["ab/éé/" + "x" * 99, "ab"]))) == 3  # ab/éé/ has 8 bytes, ab is a node
    assert len(build_scope_layout(pa.array(["a/b/x", "c/x", "c/y"]))) == 6  # a/, a/b/, c/
    monkeypatch.setattr(scope, "MAX_IMPLIED_BYTES", 7)
    with pytest.raises(InputError, match="take 8 bytes, more than 7"):
        build_scope_layout(pa.array(["a/b/x", "c/x", "c/y"]))


def test_short_components_of_implied_scopes_have_a_limit_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scope, "MAX_IMPLIED_PARTS", 6)
    assert len(build_scope_layout(pa.array(["a/b/c/d"]))) == 4  # a, a/b, a/b/c
    with pytest.raises(InputError, match="take 7 components, more than 6"):
        build_scope_layout(pa.array(["a/b/c/d", "e/f"]))


def test_a_chain_of_thousands_of_scopes_is_built_and_printed_without_recursion() -> None:
    depth = 3000
    table = table_of(graph(node("/".join("a" * depth), "NoOp")))
    view = view_of(table, "scope", max_depth=2**31 - 1)
    assert view.rows["depth"].to_pylist() == list(range(1, depth + 1))
    assert view.total["definition_count"] == 1
    lines = rows_of(table, "scope", max_depth=2**31 - 1, select=())
    assert lines[-1] == "  " * depth + "/".join("a" * depth) + " ()"
