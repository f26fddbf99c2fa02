"""Digests of attributes: equal for equal attributes in any order, other ones else."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import new

from tfprof_report.ingest.attrs.attr_digests import attr_digests

Attrs = dict[str, bytes]
TYPE = pa.map_(pa.string(), pa.binary())


def value(**fields: Any) -> bytes:
    """Return an encoded AttrValue."""
    encoded: bytes = new("tensorflow.AttrValue", **fields).SerializeToString()
    return encoded


def function(name: str) -> bytes:
    return value(func={"name": name})


def functions(*names: str) -> bytes:
    return value(list={"func": [{"name": name} for name in names]})


def digests(*nodes: Attrs) -> list[int]:
    found: list[int] = attr_digests(pa.array([list(node.items()) for node in nodes], TYPE)).to_pylist()
    return found


def are_equal(one: Attrs, other: Attrs) -> bool:
    first, second = digests(one, other)
    return first == second


def test_the_order_of_attributes_does_not_matter() -> None:
    assert are_equal({"T": value(type=1), "strides": value(i=2)}, {"strides": value(i=2), "T": value(type=1)})


@pytest.mark.parametrize(
    "other",
    [
        {"T": value(type=1), "k": value(i=3)},
        {"T": value(type=1), "n": value(i=2)},
        {"T": value(i=2), "k": value(type=1)},
        {"T": value(type=1)},
        {"T": value(type=1), "k": value(i=2), "x": value(b=True)},
        {},
    ],
)
def test_other_values_names_and_numbers_of_attributes_matter(other: Attrs) -> None:
    assert not are_equal({"T": value(type=1), "k": value(i=2)}, other)


def test_notes_of_tensorflow_do_not_matter() -> None:
    assert are_equal({"T": value(type=1), "_class": value(s=b"loc:@w")}, {"T": value(type=1), "_grappler": value(i=1)})


def test_functions_get_another_name_with_every_trace() -> None:
    assert are_equal({"f": function("__inference_f_12")}, {"f": function("__inference_f_345")})
    assert are_equal({"branches": functions("a", "b")}, {"branches": functions("c", "d" * 200)})
    assert not are_equal({"f": function("f")}, {"f": value(s=b"f")})
    assert not are_equal({"f": value(list={"s": [b"a"]})}, {"f": value(list={"s": [b"b"]})})


@pytest.mark.parametrize("size", [1000, 1024, 1025, 100_000])
def test_every_byte_of_a_tensor_counts_however_long_it_is(size: int) -> None:
    content = bytearray(size)
    tensors = [value(tensor={"dtype": 4, "tensor_content": bytes(content)})]
    for place in (0, size // 2, size - 1):
        content[place] = 7
        tensors.append(value(tensor={"dtype": 4, "tensor_content": bytes(content)}))
    assert len(set(digests(*({"value": tensor} for tensor in tensors)))) == 4


def test_a_long_function_name_is_a_function_too() -> None:
    assert are_equal({"f": function("f" * 5000)}, {"f": function("g")})


def test_digests_are_the_same_on_every_machine() -> None:
    assert digests({}, {"T": value(type=1)}, {"value": value(tensor={"tensor_content": b"x" * 2000})}) == [
        -2152535657050944081,
        4302154695714494006,
        -8104988068082949840,
    ]


def test_no_nodes_have_no_digests() -> None:
    assert digests() == []


VALUES = st.one_of(
    st.integers(-(2**63), 2**63 - 1).map(lambda number: value(i=number)),
    st.binary(max_size=20).map(lambda text: value(s=text)),
    st.lists(st.integers(0, 3), max_size=3).map(lambda sizes: value(list={"i": sizes})),
)
NODES = st.dictionaries(st.sampled_from(["T", "N", "k", "strides"]), VALUES, max_size=4)


@given(st.lists(NODES, min_size=2, max_size=6))
def test_digests_are_equal_where_attributes_are(nodes: list[Attrs]) -> None:
    found = digests(*nodes)
    for one, first in zip(nodes, found, strict=True):
        assert [first == digest for digest in found] == [one == other for other in nodes]
