from __future__ import annotations

import pyarrow as pa
import pytest

from tfprof_report.ingest.xplane.sizes import parse_sizes


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("float[32,64]", [32, 64]),
        ("[128, 10]", [128, 10]),
        ("bfloat16[7]", [7]),
        ("[]", []),
        ("int32[]", []),
        ("", None),
        ("float", None),
        ("[3,]", None),
        ("[-1,3]", None),
        ("[?,3]", None),
        (None, None),
    ],
)
def test_sizes_are_read_as_the_profiler_writes_them(text: str | None, sizes: list[int] | None) -> None:
    assert parse_sizes(pa.array([text, "[9]"], pa.string())).to_pylist() == [sizes, [9]]
