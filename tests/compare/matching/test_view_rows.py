from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest

from tfprof_report.compare.comparison import MatchedBy
from tfprof_report.compare.matching.pairs import WORDS, Partners
from tfprof_report.compare.matching.view_rows import match_view

PREFIX, SUGGESTED = WORDS.index(MatchedBy.PREFIX), WORDS.index(MatchedBy.SUGGESTED)


def scope_view(*names: str, nodes: Sequence[str]) -> pa.Table:
    """Return rows of scope view; those with the name of one of `nodes` are that node."""
    parents = [name.rpartition("/")[0] for name in names]
    return pa.table(
        {
            "parent": pa.array([names.index(name) if name in names else None for name in parents], pa.int64()),
            "depth": pa.array([name.count("/") + 1 for name in names], pa.int64()),
            "name": pa.array(names, pa.string()),
            "node": pa.array([nodes.index(name) if name in nodes else None for name in names], pa.int64()),
        }
    )


def partners(head_row: list[int], why: int = PREFIX) -> Partners:
    found = np.array(head_row)
    return Partners(head_row=found, matched_by=np.where(found >= 0, why, -1).astype(np.int8))


def pairs(base: pa.Table, head: pa.Table, nodes: Partners) -> dict[str, tuple[str, str]]:
    found = match_view(base, head, nodes)
    old, new = base["name"].to_pylist(), head["name"].to_pylist()
    return {
        old[row]: (new[other], str(WORDS[why]))
        for row, (other, why) in enumerate(zip(found.head_row, found.matched_by, strict=True))
        if other >= 0
    }


def test_rows_follow_their_nodes_and_scopes_follow_their_rows() -> None:
    base = scope_view("m", "m/fc", "m/fc/a", "m/fc/b", "x", nodes=["m/fc/a", "m/fc/b", "x"])
    head = scope_view("n", "n/fc", "n/fc/a", "n/fc/b", "x", nodes=["n/fc/b", "n/fc/a", "x"])
    nodes = partners([1, 0, 2])
    nodes.matched_by[2] = WORDS.index(MatchedBy.NAME)
    assert pairs(base, head, nodes) == {
        "m": ("n", "prefix"),
        "m/fc": ("n/fc", "prefix"),
        "m/fc/a": ("n/fc/a", "prefix"),
        "m/fc/b": ("n/fc/b", "prefix"),
        "x": ("x", "name"),
    }


@pytest.mark.parametrize(("more", "follows"), [(1, True), (2, False)])
def test_a_scope_follows_more_than_half_of_its_rows(more: int, *, follows: bool) -> None:
    old, new = ["m/a", "m/b"], ["n/a", "n/b"]
    gone = [f"m/gone{number}" for number in range(more)]
    base = scope_view("m", *old, *gone, nodes=[*old, *gone])
    head = scope_view("n", *new, nodes=new)
    assert ("m" in pairs(base, head, partners([0, 1] + [-1] * more))) is follows
    assert ("n" in pairs(head, base, partners([0, 1]))) is follows


def test_a_scope_that_stays_is_matched_by_its_name() -> None:
    base = scope_view("m", "m/a", "m/b", nodes=["m/a", "m/b"])
    head = scope_view("m", "m/b", "n", "n/a", nodes=["n/a", "m/b"])
    assert pairs(base, head, partners([0, -1])) == {
        "m": ("m", "name"),
        "m/a": ("n/a", "prefix"),
        "m/b": ("m/b", "name"),
    }


def test_a_node_wins_over_a_scope_of_its_new_name() -> None:
    base = scope_view("a", "b", "b/x", nodes=["a", "b/x"])
    head = scope_view("b", nodes=["b"])
    assert pairs(base, head, partners([0, -1], SUGGESTED)) == {"a": ("b", "suggested")}


def test_a_scope_is_no_surer_than_what_led_to_it() -> None:
    base = scope_view("m", "m/a", "m/b", "m/c", nodes=["m/a", "m/b", "m/c"])
    head = scope_view("n", "n/a", "n/b", "n/c", nodes=["n/a", "n/b", "n/c"])
    nodes = partners([0, 1, 2])
    nodes.matched_by[1] = SUGGESTED
    assert pairs(base, head, nodes)["m"] == ("n", "suggested")


def test_a_node_that_the_view_leaves_out_leads_nowhere() -> None:
    base, head = scope_view("a", nodes=["a"]), scope_view("c", nodes=["b", "c"])
    assert pairs(base, head, partners([0])) == {}
