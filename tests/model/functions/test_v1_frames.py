"""What an iteration of a V1 loop executes."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from tfprof_report.model.functions.multiplicity import Trips
from tfprof_report.model.functions.v1_frames import Frames, iteration_float_ops

MOST = 2**62


@pytest.mark.parametrize(("flops", "wanted"), [([1, 2], MOST), ([1, -2], -MOST), ([-MOST, -MOST], -MOST)])
@pytest.mark.filterwarnings("error")
def test_float_ops_of_many_nested_loops_saturate(flops: list[int], wanted: int) -> None:
    depth = 40  # 2^40 iterations each: the product is beyond every float
    none = np.zeros(2, dtype=bool)
    frames = Frames(
        frame=np.array([1, depth]),
        turns=~none,
        exits=none,
        enters=np.zeros(0, dtype=np.int64),
        entered=np.zeros(0, dtype=np.int64),
        parent=np.arange(-1, depth),
        depth=np.arange(depth + 1),
        condition=np.full(depth + 1, -1),
        is_whole=np.ones(depth + 1, dtype=bool),
    )
    trips = Trips(count=np.full(depth + 1, 2**40), known=np.ones(depth + 1, dtype=bool))
    assert iteration_float_ops(frames, pa.array(flops), trips)[1] == wanted
