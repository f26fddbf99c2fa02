from __future__ import annotations

import pyarrow as pa
import pytest

from tfprof_report.ingest.attrs.shape_attrs import NUMBERS, SHAPE_ATTRS
from tfprof_report.model.shapes.output_bytes import declared_types, output_sizes

FLOAT, STRING, DOUBLE = 1, 7, 2
SHAPES = pa.list_(pa.list_(pa.int64()))


def size_of(shapes: list[list[int] | None] | None, dtype: int | None = FLOAT, op: str = "X") -> int | None:
    found = output_sizes(pa.array([shapes], SHAPES), pa.array([dtype], pa.int64()), pa.array([op])).sums()
    result: int | None = found.to_pylist()[0]
    return result


@pytest.mark.parametrize(
    ("shapes", "dtype", "expected"),
    [
        ([[2, 3]], FLOAT, 24),
        ([[2, 3], [], [4]], DOUBLE, 88),
        ([[0, 3]], FLOAT, 0),
        ([], FLOAT, 0),
        ([[2, -1]], FLOAT, None),
        ([[2], None], FLOAT, None),
        (None, FLOAT, None),
        ([[2]], None, None),
        ([[2]], STRING, None),
        ([[2**62]], FLOAT, None),
        ([[2**40, 2**40]], FLOAT, None),
        ([[2**62], [2**62]], FLOAT, None),
        ([[2**60]], FLOAT, 2**62),
    ],
)
def test_bytes_are_sizes_of_all_outputs_times_that_of_an_element(
    shapes: list[list[int] | None] | None, dtype: int | None, expected: int | None
) -> None:
    assert size_of(shapes, dtype) == expected


def test_outputs_internal_to_a_library_do_not_count() -> None:
    shapes: list[list[int] | None] = [[1, 2], [2], [2], [2], [2], None]
    assert size_of(shapes, op="FusedBatchNormV3") == 40
    assert size_of(shapes) is None
    assert size_of([None, [2]], op="FusedBatchNormV3") is None


def test_a_type_is_declared_by_dtype_or_by_a_cast() -> None:
    pairs = [[], [{"key": NUMBERS.index("axis"), "value": 5}, {"key": NUMBERS.index("DstT"), "value": DOUBLE}], []]
    numbers = pa.array(pairs, SHAPE_ATTRS["numbers"])
    assert declared_types(pa.array([FLOAT, None, None], pa.int64()), numbers).to_pylist() == [FLOAT, DOUBLE, None]
    assert declared_types(pa.nulls(2, pa.int64()), pa.nulls(2, SHAPE_ATTRS["numbers"])).to_pylist() == [None, None]
