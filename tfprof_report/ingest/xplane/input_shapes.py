"""Shapes of what ops took, which events of TensorFlow's executor tell at the highest level of the tracer.

The stat ``shape`` has one part per input, empty where it is not told: ``(float[32,64];;int32[])``.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import (
    Ints,
    list_offsets,
    list_values,
    take_ranges,
    to_ints,
)
from tfprof_report.ingest.run_meta import OUTPUTS
from tfprof_report.ingest.xplane.sizes import parse_sizes
from tfprof_report.ingest.xplane.space import Space

_WRITTEN = r"^\((?P<inputs>.*)\)$"


def read_input_shapes(space: Space, events: Ints) -> pa.Table:
    """Return `RunMetaColumns.inputs` of some events, which are the executions in this order."""
    if not space.of_events.has("shape"):
        return OUTPUTS.empty_table()
    texts = space.of_events.texts("shape").take(pa.array(events)).dictionary_encode()
    inputs = pc.struct_field(pc.extract_regex(texts.dictionary, _WRITTEN), "inputs")
    parts = pc.fill_null(pc.split_pattern(inputs, ";"), [])
    shapes = parse_sizes(list_values(parts))
    offsets = list_offsets(parts)
    code = to_ints(pc.fill_null(texts.indices, -1))
    known = np.flatnonzero(code >= 0)
    counts = np.diff(offsets)[code[known]]
    rows = take_ranges(offsets[:-1][code[known]], counts)
    positions = take_ranges(np.zeros(len(known), dtype=np.int64), counts)
    columns = [
        pa.array(np.repeat(known, counts)),
        pa.array(positions),
        pa.array(np.repeat(counts, counts)),
        shapes.take(pa.array(rows)),
    ]
    return pa.table(columns, schema=OUTPUTS)
