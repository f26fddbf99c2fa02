from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from tfprof_report.compare.matching.renames import MAX_PARTS, cut_names

names = st.lists(st.text(st.sampled_from("ab/"), max_size=6), max_size=6)


@given(names)
def test_numbers_are_equal_where_texts_are(words: list[str]) -> None:
    parts = cut_names(pa.array(words, pa.string()))
    texts: dict[str, dict[int, str]] = {"prefix": {0: ""}, "suffix": {0: ""}}
    for row, word in enumerate(words):
        cut = word.split("/")
        assert parts.lengths[row] == len(cut)
        for count in range(len(cut) + 1):
            here, at = np.array([row]), np.array([count])
            found = {
                "prefix": (int(parts.prefix_at(here, at)[0]), "".join(f"{part}/" for part in cut[:count])),
                "suffix": (int(parts.suffix_at(here, at)[0]), "".join(f"/{part}" for part in cut[count:])),
            }
            for kind, (number, text) in found.items():
                assert texts[kind].setdefault(number, text) == text
    for known in texts.values():
        assert len(set(known.values())) == len(known)


def test_a_very_deep_name_is_cut() -> None:
    parts = cut_names(pa.array(["a/" * MAX_PARTS, "a/b"]))
    assert parts.lengths.tolist() == [MAX_PARTS, 2]
    assert parts.is_whole.tolist() == [False, True]
