"""From the traces of a run to what run metadata has: executions, memory and shapes by step, and what belongs to none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, marks, sort_distinct, to_bools, to_ints
from tfprof_report.ingest.run_meta import ALLOCATIONS, EXECUTIONS, NEGATIVE, OUTPUTS, SIZES, RunMetaColumns
from tfprof_report.ingest.xplane.memory import MemoryEvents, find_memory
from tfprof_report.ingest.xplane.nesting import enclosing, own_time
from tfprof_report.ingest.xplane.ops import Lines, OpEvents, Place, find_ops, read_lines
from tfprof_report.ingest.xplane.programs import Programs
from tfprof_report.ingest.xplane.space import PS_PER_NANO, Space
from tfprof_report.ingest.xplane.steps import StepMarks, mark_steps
from tfprof_report.ingest.xplane.traced_ops import name_ops
from tfprof_report.record import record
from tfprof_report.schema.metrics import NANOS_PER_MICRO
from tfprof_report.schema.tables import UNMATCHED
