"""Lines of code that moved."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfprof_report.compare.matching.code_lines import match_code


def rows(*paths: str) -> pa.Table:
    """Return rows of code view in preorder: a path's frames, joined by ``|``; each is below its longest beginning."""
    full = [" > ".join(path.split("|")) for path in paths]
    parents = [full.index(path.rpartition(" > ")[0]) if " > " in path else None for path in full]
    depths = [path.count(" > ") + 1 for path in full]
    return pa.table({"path": full, "parent": pa.array(parents, pa.int64()), "depth": depths})


def matched(base: pa.Table, head: pa.Table) -> dict[str, str | None]:
    old, new = base["path"].to_pylist(), head["path"].to_pylist()
    found = match_code(base, head).head_row.tolist()
    return {path: new[place] if place >= 0 else None for path, place in zip(old, found, strict=True)}


def test_all_lines_of_a_file_move_by_three() -> None:
    base = rows("m.py:1:<module>", "m.py:1:<module>|m.py:10:build", "m.py:1:<module>|m.py:13:build")
    head = rows("m.py:4:<module>", "m.py:4:<module>|m.py:13:build", "m.py:4:<module>|m.py:16:build")
    assert matched(base, head) == dict(zip(base["path"].to_pylist(), head["path"].to_pylist(), strict=True))


def test_a_line_that_is_new_above_moves_those_below() -> None:
    base = rows("m.py:10:f", "m.py:13:f", "m.py:20:g")
    head = rows("m.py:5:f", "m.py:12:f", "m.py:15:f", "m.py:20:g")
    assert matched(base, head) == {"m.py:10:f": "m.py:12:f", "m.py:13:f": "m.py:15:f", "m.py:20:g": "m.py:20:g"}


def test_a_line_that_is_gone_is_not_the_one_that_took_its_number() -> None:
    base = rows("m.py:10:f", "m.py:13:f", "m.py:16:f")
    head = rows("m.py:10:f", "m.py:13:f")
    assert matched(base, head)["m.py:16:f"] is None
    base, head = rows("m.py:7:f", "m.py:10:f", "m.py:13:f"), rows("m.py:13:f", "m.py:16:f")
    assert matched(base, head) == {"m.py:7:f": None, "m.py:10:f": "m.py:13:f", "m.py:13:f": "m.py:16:f"}


def test_functions_and_files_of_other_names_are_other_lines() -> None:
    assert matched(rows("m.py:1:f", "n.py:1:f"), rows("m.py:1:g", "o.py:1:f")) == {"m.py:1:f": None, "n.py:1:f": None}


@pytest.mark.parametrize("frame", ["no trace", "strange:line:f", ""])
def test_frames_without_a_line_are_matched_as_they_are(frame: str) -> None:
    assert matched(rows(frame, "m.py:1:f"), rows("m.py:3:f", frame))[frame] == frame


lines = st.sets(st.integers(1, 40), min_size=1, max_size=8)


@given(lines, st.integers(0, 9))
def test_a_shift_alone_loses_no_line(numbers: set[int], shift: int) -> None:
    base = rows(*(f"m.py:{number}:f" for number in sorted(numbers)))
    head = rows(*(f"m.py:{number + shift}:f" for number in sorted(numbers)))
    assert None not in matched(base, head).values()


@given(lines, lines)
def test_no_line_becomes_two(base: set[int], head: set[int]) -> None:
    found = matched(rows(*(f"m.py:{line}:f" for line in base)), rows(*(f"m.py:{line}:f" for line in head)))
    partners = [partner for partner in found.values() if partner is not None]
    assert len(set(partners)) == len(partners)
