"""All that is known of what devices did: by device, by pair of devices and by step, and the longest waits."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import pyarrow as pa

from tfprof_report.ingest.run_meta import RunMetaColumns
from tfprof_report.model.activity.by_device import sum_by_device
from tfprof_report.model.activity.by_pair import sum_by_pair
from tfprof_report.model.activity.by_step import sum_by_step
from tfprof_report.model.activity.intervals import unite
from tfprof_report.model.activity.longest_waits import find_waits
from tfprof_report.model.activity.step_events import gather_events
from tfprof_report.model.totals import DeviceActivity, StepWall


def measure_activity(
    run_metas: Sequence[tuple[int, RunMetaColumns]],
    walls: Sequence[StepWall],
    without_trace: Collection[str],
    names: pa.Array,
    edges: pa.Table,
    *,
    has_other_clocks: bool = False,
) -> DeviceActivity:
    """Return what devices did in all steps; empty tables where no step tells.

    Parameters
    ----------
    walls : the wall times of steps, so far as there are any
    without_trace : the GPUs that launched kernels of which some step has no trace
    names, edges : the nodes of the graph, and their inputs (`graph.edges`)
    has_other_clocks : devices were moved to the clock of their step for `walls`
    """
    of_steps = {wall.step: wall for wall in walls}
    events = gather_events(run_metas, of_steps, without_trace, has_other_clocks=has_other_clocks)
    if events is None:
        return DeviceActivity()
    rows = np.flatnonzero(events.is_busy & events.is_sound)
    busy = unite(events.group[rows], events.start[rows], events.end[rows])
    by_device, by_pair = sum_by_device(events, busy), sum_by_pair(events)
    return DeviceActivity(
        by_device=by_device,
        by_pair=by_pair,
        waits=find_waits(events, busy.of_rows(rows), names, edges),
        steps=sum_by_step(by_device, by_pair),
    )
