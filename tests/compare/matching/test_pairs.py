from __future__ import annotations

import pyarrow as pa
import pytest

from tfprof_report.compare.matching.pairs import match_rows
from tfprof_report.errors import InputError


def names(*words: str) -> pa.ChunkedArray:
    return pa.chunked_array([pa.array(words, pa.string())])


def test_rows_stand_in_base_order_and_new_rows_follow_in_head_order() -> None:
    pairs = match_rows(names("b", "a", "gone"), names("z", "a", "y", "b"))
    assert pairs.names.to_pylist() == ["b", "a", "gone", "z", "y"]
    assert pairs.base_rows.to_pylist() == [0, 1, 2, None, None]
    assert pairs.head_rows.to_pylist() == [3, 1, None, 0, 2]


def test_each_side_knows_which_of_its_rows_are_matched() -> None:
    pairs = match_rows(names("b", "gone"), names("new", "b"))
    assert pairs.base_is_matched.to_pylist() == [True, False]
    assert pairs.head_is_matched.to_pylist() == [False, True]
    assert pairs.is_matched.to_pylist() == [True, False, False]


def test_dictionary_coded_names_in_several_chunks_match_by_text() -> None:
    base = pa.chunked_array([pa.array([word]).dictionary_encode() for word in ("Conv2D", "Relu")])
    assert match_rows(base, names("Relu", "Conv2D")).head_rows.to_pylist() == [1, 0]


def test_names_match_to_the_byte() -> None:
    assert match_rows(names("a", "é"), names("A", "e\u0301")).head_rows.to_pylist() == [None, None, 0, 1]


@pytest.mark.parametrize("empty", [names(), pa.chunked_array([], pa.string())], ids=["empty chunk", "no chunk"])
def test_an_empty_side_matches_nothing(empty: pa.ChunkedArray) -> None:
    assert match_rows(empty, names("a")).head_rows.to_pylist() == [0]
    assert match_rows(names("a"), empty).head_rows.to_pylist() == [None]
    assert match_rows(empty, empty).names.to_pylist() == []


@pytest.mark.parametrize(("base", "head", "side"), [("aa", "a", "base"), ("a", "aa", "head")])
def test_a_name_that_stands_twice_is_refused(base: str, head: str, side: str) -> None:
    with pytest.raises(InputError, match=f'the name "a" appears more than once in {side}'):
        match_rows(names(*base), names(*head))


@pytest.mark.parametrize("base", [["a", "b"], ["b", "a"], ["a"], ["a", "c", "b"]])
def test_a_column_of_a_side_comes_in_the_order_of_pairs(base: list[str]) -> None:
    head = ["a", "b"]
    pairs = match_rows(pa.chunked_array([base], pa.string()), pa.chunked_array([head], pa.string()))
    assert pairs.of_base(pa.array(base)).to_pylist() == pairs.base_names.to_pylist()
    assert pairs.of_base(pa.array(base)).equals(pa.array(base).take(pairs.base_rows))
    assert pairs.of_head(pa.array(head)).equals(pa.array(head).take(pairs.head_rows))
