"""Conversions between nested columns and numpy, on whole columns and on slices."""

from __future__ import annotations

from itertools import chain

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tfprof_report.arrays import (
    contains,
    distinct,
    encode_codes,
    exact_sum,
    has_byte,
    is_each_row,
    list_offsets,
    list_values,
    make_lists,
    marks,
    match_words,
    number_distinct,
    places_of,
    prefix_sums,
    row_of_value,
    rows_of_words,
    sort_distinct,
    sum_by_row,
    take_ranges,
    to_bools,
    to_ints,
    whole,
)

LISTS = st.lists(st.lists(st.integers(-(2**40), 2**40), max_size=4), max_size=6)


def column(lists: list[list[int]]) -> pa.ListArray:
    return pa.array(lists, pa.list_(pa.int64()))


@settings(deadline=None)
@given(LISTS, st.data())
def test_offsets_and_values_of_a_slice_are_those_of_its_rows(lists: list[list[int]], data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(lists)))
    length = data.draw(st.integers(0, len(lists) - start))
    rows, part = lists[start : start + length], column(lists).slice(start, length)
    offsets = list_offsets(part)
    assert offsets.tolist() == [sum(map(len, rows[:count])) for count in range(length + 1)]
    assert list_values(part).to_pylist() == list(chain.from_iterable(rows))
    assert row_of_value(offsets).tolist() == [row for row, values in enumerate(rows) for _ in values]
    assert sum_by_row(to_ints(list_values(part)), offsets).tolist() == [sum(values) for values in rows]


@settings(deadline=None)
@given(LISTS)
def test_lists_are_rebuilt_from_values_and_counts(lists: list[list[int]]) -> None:
    counts = np.array([len(values) for values in lists], dtype=np.int64)
    assert make_lists(pa.array(list(chain.from_iterable(lists)), pa.int64()), counts).equals(column(lists))


def test_a_list_that_is_null_is_told_from_an_empty_one() -> None:
    made = make_lists(pa.array([1, 2]), np.array([0, 2, 0]), is_null=np.array([True, False, False]))
    assert made.to_pylist() == [None, [1, 2], []]


def test_ranges_follow_one_another() -> None:
    assert take_ranges(np.array([5, 0, 7]), np.array([2, 0, 3])).tolist() == [5, 6, 7, 8, 9]
    assert take_ranges(np.array([], dtype=np.int64), np.array([], dtype=np.int64)).tolist() == []


def test_prefix_sums_begin_with_0_and_keep_the_type_of_number() -> None:
    assert prefix_sums(np.array([2, 0, 3])).tolist() == [0, 2, 2, 5]
    assert prefix_sums(np.array([True, False, True])).tolist() == [0, 1, 1, 2]
    assert prefix_sums(np.array([0.5, 1.0])).tolist() == [0.0, 0.5, 1.5]
    assert prefix_sums(np.array([2**63, 2**63], dtype=object)).tolist() == [0, 2**63, 2**64]


def test_rows_become_masks_and_masks_become_places() -> None:
    mask = marks(np.array([3, 1]), 4)
    assert mask.tolist() == [False, True, False, True]
    assert places_of(mask).tolist() == [-1, 0, -1, 1]


@pytest.mark.parametrize("chunked", [False, True])
def test_numbers_and_truths_come_from_arrays_and_chunked_arrays(*, chunked: bool) -> None:
    numbers, truths = pa.array([1, -2], pa.int32()), pa.array([True, None, False])
    if chunked:
        numbers, truths = pa.chunked_array([numbers]), pa.chunked_array([truths])
    assert to_ints(numbers).tolist() == [1, -2]
    assert to_ints(numbers).dtype == np.int64
    assert to_bools(truths).tolist() == [True, False, False]


def test_values_are_numbered_in_order_of_first_appearance() -> None:
    numbers, values = number_distinct(np.array([7, -1, 7, 3]))
    assert (numbers.tolist(), values.tolist()) == ([0, 1, 0, 2], [7, -1, 3])


@pytest.mark.parametrize("is_chunked", [False, True])
def test_no_integer_stands_for_null(*, is_chunked: bool) -> None:
    column = pa.array([1, None, 3, None])
    with pytest.raises(ValueError, match="2 of 4 integers are NULL"):
        to_ints(pa.chunked_array([column]) if is_chunked else column)


@settings(deadline=None)
@given(st.lists(st.tuples(*[st.integers(-(2**63), 2**63 - 1) | st.integers(-2, 2)] * 3), max_size=12))
def test_distinct_rows_are_sorted_and_numbered(rows: list[tuple[int, int, int]]) -> None:
    columns = [np.array([row[place] for row in rows], dtype=np.int64) for place in range(3)]
    distinct, number = sort_distinct(columns)
    wanted = sorted(set(rows))
    assert list(zip(*(column.tolist() for column in distinct), strict=True)) == wanted
    assert [wanted[place] for place in number.tolist()] == rows


def test_rows_are_each_row_only_if_all_are_there_in_order() -> None:
    assert is_each_row(np.arange(3), 3)
    assert is_each_row(np.arange(0), 0)
    assert not is_each_row(np.arange(3), 4)
    assert not is_each_row(np.array([0, 2, 1]), 3)
    assert not is_each_row(np.array([0, -1, 2]), 3)


@given(st.lists(st.integers(-5, 5) | st.integers(-(2**62), 2**62)))
def test_distinct_values_are_those_of_numpy_in_order(values: list[int]) -> None:
    assert distinct(np.array(values, dtype=np.int64)).tolist() == sorted(set(values))


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 4)), max_size=6), st.booleans())
def test_ranges_are_taken_alike_whether_or_not_they_follow_each_other(
    ranges: list[tuple[int, int]],
    follow: bool,  # noqa: FBT001 (drawn)
) -> None:
    counts = np.array([count for _, count in ranges], dtype=np.int64)
    starts = np.array([start for start, _ in ranges], dtype=np.int64)
    if follow:
        starts = 3 + np.cumsum(counts) - counts
    wanted = [start + i for start, count in zip(starts.tolist(), counts.tolist(), strict=True) for i in range(count)]
    assert take_ranges(starts, counts).tolist() == wanted


def test_a_column_of_one_chunk_is_not_copied() -> None:
    one = pa.chunked_array([[1, 2, 3]])
    assert whole(one).buffers()[1].address == one.chunk(0).buffers()[1].address
    assert whole(pa.chunked_array([[1], [2]])).to_pylist() == [1, 2]
    assert whole(pa.array([7])).to_pylist() == [7]


def test_a_letter_is_looked_for_in_the_texts_of_a_slice_only() -> None:
    texts = pa.array(["a:b", "c", "", "d:"])
    assert [contains(texts.slice(first, 2), b":") for first in range(3)] == [True, False, True]
    assert not contains(texts.slice(1, 0), b":")
    assert not contains(pa.array([], pa.string()), b":")
    assert not contains(pa.array([None, ""], pa.string()), b":")


def test_bytes_of_a_range_are_found_wherever_they_are() -> None:
    long = "z" * 2**18
    texts = pa.array([f"{long}:", "b", None, "y"])
    assert has_byte(texts, 0, ord(":"))
    assert has_byte(texts, ord("y"), ord("z"))
    assert not has_byte(texts, 0, ord("9"))
    assert not has_byte(texts, ord(";"), ord("a"))
    assert has_byte(texts, 255, 255) is has_byte(pa.array([], pa.string()), 0, 255) is False


def test_sums_of_lists_with_one_value_each_are_the_values_and_a_copy() -> None:
    values = np.array([3, -1, 2])
    sums = sum_by_row(values, np.arange(4))
    assert sums.tolist() == [3, -1, 2]
    sums[0] = 0
    assert values[0] == 3
    assert sum_by_row(values, np.array([0, 1, 1, 3])).tolist() == [3, 0, 1]


@pytest.mark.parametrize(
    "values",
    [[], [None], [2**63 - 1] * 3, [-(2**63)] * 3, [2**63 - 1, None, -(2**63), 7], [-1, -(2**32), 2**32 - 1]],
)
def test_an_exact_sum_does_not_wrap(values: list[int | None]) -> None:
    column = pa.chunked_array([pa.array(values, pa.int64())])
    assert exact_sum(column) == sum(value for value in values if value is not None)


@given(st.data(), st.lists(st.none() | st.sampled_from(["a", "b", "a/b"]), max_size=5))
@settings(deadline=None)
def test_words_at_codes_are_encoded_as_arrow_encodes_them(data: st.DataObject, words: list[str | None]) -> None:
    codes = data.draw(st.lists(st.integers(-1, len(words) - 1), max_size=9))
    taken = pa.array([None if code < 0 else words[code] for code in codes], pa.string()).dictionary_encode()
    found = encode_codes(np.array(codes, dtype=np.int64), pa.array(words, pa.string()))
    assert (found.indices, found.dictionary) == (taken.indices, taken.dictionary)


@pytest.mark.parametrize("is_encoded", [False, True])
def test_words_match_anywhere_and_null_does_not(is_encoded: bool) -> None:  # noqa: FBT001
    words = pa.array(["Assign", None, "AssignAdd", "Reassign", "Assign"])
    found = match_words(words.dictionary_encode() if is_encoded else words, "^Assign")
    assert found.tolist() == [True, False, True, False, True]


@given(st.lists(st.none() | st.sampled_from("abcd")), st.lists(st.none() | st.sampled_from("abc")))
@settings(deadline=None)
def test_rows_of_words_are_the_first_of_the_same_name(words: list[str | None], names: list[str | None]) -> None:
    expected = [-1 if word is None or word not in names else names.index(word) for word in words]
    assert rows_of_words(pa.array(words, pa.string()), pa.array(names, pa.string())).tolist() == expected
