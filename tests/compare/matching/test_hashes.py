from __future__ import annotations

import numpy as np
import pyarrow as pa

from tfprof_report.arrays import mix
from tfprof_report.compare.matching.structure import hash_lists

SHAPES: list[list[list[int | None] | None] | None] = [
    None,
    [],
    [None],
    [[]],
    [[], []],
    [[0]],
    [[None]],
    [[0, 0]],
    [[1, 2]],
    [[2, 1]],
    [[1], [2]],
    [[2], [1]],
    [[-1, 2]],
    [[12]],
]


def test_different_lists_have_different_hashes_and_equal_ones_the_same() -> None:
    kind = pa.list_(pa.list_(pa.int64()))
    hashes = hash_lists(pa.array([*SHAPES, *SHAPES], kind))
    assert len(set(hashes.tolist())) == len(SHAPES)
    assert hashes[: len(SHAPES)].tolist() == hashes[len(SHAPES) :].tolist()
    assert hash_lists(pa.array(SHAPES, kind)[3:5]).tolist() == hashes[3:5].tolist()  # a slice of a column


def test_hashes_are_the_same_in_every_run() -> None:
    assert mix(np.array([0, 1])).tolist() == [16294208416658607535, 10451216379200822465]
