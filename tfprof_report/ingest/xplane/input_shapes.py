"""Shapes of what ops took, which events of TensorFlow's executor tell at the highest level of the tracer.

The stat ``shape`` has one part per input, empty where it is not told: ``(float[32,64];;int32[])``.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import (
    Bools,
    Ints,
    first_places,
    list_offsets,
    list_values,
    number_distinct,
    take_ranges,
    to_ints,
)
from tfprof_report.ingest.run_meta import OUTPUTS
from tfprof_report.ingest.xplane.sizes import parse_sizes
from tfprof_report.ingest.xplane.space import Space

_WRITTEN = r"^\((?P<inputs>.*)\)$"


def read_input_shapes(space: Space, events: Ints, counts_for: Bools) -> pa.Table:
    """Return `RunMetaColumns.inputs` of some events, which are the executions in this order.

    Of executions of a node with the same shapes, the first one stands for all, one in a step that counts if there is
    any: `counts_for` is whether each event of the file is in such a step.
    """
    if not space.of_events.has("shape"):
        return OUTPUTS.empty_table()
    texts = space.of_events.codes("shape").take(pa.array(events))
    inputs = pc.struct_field(pc.extract_regex(texts.dictionary, _WRITTEN), "inputs")
    parts = pc.fill_null(pc.split_pattern(inputs, ";"), [])
    shapes = parse_sizes(list_values(parts))
    offsets = list_offsets(parts)
    code = to_ints(pc.fill_null(texts.indices, -1))
    known = np.flatnonzero(code >= 0)
    known = known[np.argsort(~counts_for[events[known]], kind="stable")]
    keys, _ = number_distinct(to_ints(space.events["kind"])[events[known]] * len(parts) + code[known])
    known = np.sort(known[first_places(keys)])
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
