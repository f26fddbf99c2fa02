from __future__ import annotations

import gzip

from tfprof_report.render.files.gzipped import gzipped


def test_the_header_says_nothing_about_when_where_and_with_which_python() -> None:
    header = b"\x1f\x8b\x08" + b"\0" + b"\0\0\0\0" + b"\0" + b"\xff"  # magic, deflate; flags; time; level; system
    for data in (b"", b"a", bytes(range(256)) * 1000):
        packed = gzipped(data)
        assert packed[:10] == header
        assert gzip.decompress(packed) == data
