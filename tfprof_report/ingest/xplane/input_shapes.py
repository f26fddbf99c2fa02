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
    make_lists,
    row_of_value,
    take_ranges,
    to_bools,
    to_ints,
)
from tfprof_report.ingest.run_meta import OUTPUTS
from tfprof_report.ingest.xplane.space import Space

_WRITTEN = r"^\((?P<inputs>.*)\)$"
_INPUT = r"^[a-z]\w*\[(?P<sizes>(?:\d{1,18}(?:,\d{1,18})*)?)\]$"


def read_input_shapes(space: Space, events: Ints) -> pa.Table:
    """Return `RunMetaColumns.inputs` of some events, which are the executions in this order."""
    if not space.of_events.has("shape"):
        return OUTPUTS.empty_table()
    texts = space.of_events.texts("shape").take(pa.array(events)).dictionary_encode()
    inputs = pc.struct_field(pc.extract_regex(texts.dictionary, _WRITTEN), "inputs")
    parts = pc.fill_null(pc.split_pattern(inputs, ";"), [])
    shapes = _parsed(list_values(parts))
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


def _parsed(texts: pa.Array) -> pa.ListArray:
    """Return the sizes in texts such as ``float[32,64]``, NULL where there are none."""
    sizes = pc.struct_field(pc.extract_regex(texts, _INPUT), "sizes")
    is_known = to_bools(pc.is_valid(sizes))
    lists = pc.split_pattern(pc.fill_null(sizes, ""), ",")
    values = list_values(lists)
    is_size = to_bools(pc.not_equal(values, ""))
    row = row_of_value(list_offsets(lists))[is_size]
    numbers = values.filter(pa.array(is_size)).cast(pa.int64())
    return make_lists(numbers, np.bincount(row, minlength=len(texts)).astype(np.int64), is_null=~is_known)
