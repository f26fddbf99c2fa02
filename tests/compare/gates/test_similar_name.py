"""Suggestions for mistyped names: the most similar one, even among very many."""

from __future__ import annotations

import time

import pyarrow as pa
import pytest

from tfprof_report.compare.gates.globs import similar_name


@pytest.mark.parametrize(
    ("name", "similar"),
    [
        ("head/aa", "head/a"),
        ("encoder/layer_7/kernal", "encoder/layer_7/kernel"),
        ("Encoder/layer_7/kernel", "encoder/layer_7/kernel"),
        ("größe", "größen"),
        ("zzz", None),
        ("", None),
        ("head/a" * 10_000, None),
    ],
)
def test_the_most_similar_name_is_found_if_there_is_one(name: str, similar: str | None) -> None:
    names = ["head/a", "encoder/layer_7/kernel", "encoder/layer_8/kernel", "größen", "n" * 10_000]
    assert similar_name(name, pa.array(names)) == similar
    assert similar_name(name, pa.array([], pa.string())) is None


def test_letters_in_another_order_are_less_similar() -> None:
    names = [f"lay{word}/kernel" for word in ("re", "er")]
    assert similar_name("layer/kernl", pa.array(names)) == "layer/kernel"


def test_the_last_of_very_many_names_is_found_fast() -> None:
    names = [f"encoder/layer_{place}/attention/kernel" for place in range(100_000)]
    began = time.perf_counter()
    assert similar_name("decoder/head/kernl", pa.array([*names, "decoder/head/kernel"])) == "decoder/head/kernel"
    assert time.perf_counter() - began < 2
