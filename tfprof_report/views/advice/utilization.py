"""How busy each GPU was between its first start and its last end."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
import pyarrow.compute as pc

from tfprof_report.arrays import to_bools, to_ints
from tfprof_report.model.node_table import NodeTable
from tfprof_report.semantics import Semantics
from tfprof_report.views.advice.findings import CheckerOptions, Finding, Topic

_OF_DEVICE = "^(.*/(?:device:gpu|gpu):[0-9]+).*$"


def check_utilization(table: NodeTable, options: CheckerOptions, semantics: Semantics) -> Iterator[Finding]:
    """Yield the share of time in which each GPU ran kernels (``stream:all``), by device name and step.

    A device's time goes from the first start to the last end of its records. tfprof takes of each node only its last
    step, so the clocks of different steps mix, and gives a node's time to its first device.
    """
    records = _last_steps(table) if semantics.utilization_mixes_steps else _all_steps(table)
    end = (records["start"] + records["micros"]).where(records["is_timed"], 0)
    start = records["start"].where(records["is_timed"])
    busy = records["micros"].where(records["is_timed"] & records["is_stream"], 0)
    spans = (
        pd.DataFrame({"device": records["device"], "step": records["step"], "start": start, "end": end, "busy": busy})
        .groupby(["device", "step"], sort=True)
        .agg(start=("start", "min"), end=("end", "max"), busy=("busy", "sum"))
        .fillna(0)
        .reset_index()
    )
    for device, step, first, last, micros in spans.itertuples(index=False):  # a handful of devices
        if last > first:
            share = micros / (last - first)
            yield Finding(
                topic=Topic.DEVICE,
                name=device,
                share=share,
                is_low=share < options.low_utilization,
                step=None if semantics.utilization_mixes_steps else int(step),
            )


def _frame(table: NodeTable) -> pd.DataFrame:
    records = table.records
    micros = to_ints(records["micros"])
    return pd.DataFrame(
        {
            "node": to_ints(records["node"]),
            "step": to_ints(records["step"]),
            "start": to_ints(records["start_micros"]),
            "micros": np.where(micros == 0, 1, micros),
            "is_timed": to_bools(records["is_timed"]),
            "is_stream": to_bools(records["is_stream"]),
            "device": records["device"].cast("string").to_pandas(),
        }
    )


def _all_steps(table: NodeTable) -> pd.DataFrame:
    """Return the records of GPUs, each under the device that its stream belongs to."""
    frame = _frame(table)
    device = pc.replace_substring_regex(table.records["device"].cast("string"), _OF_DEVICE, r"\1")
    frame["device"] = device.to_pandas()
    return frame[to_bools(pc.match_substring_regex(table.records["device"].cast("string"), _OF_DEVICE))]


def _last_steps(table: NodeTable) -> pd.DataFrame:
    """Return the records of each node's last step, under the node's first device, if that is a GPU."""
    frame = _frame(table)[to_bools(table.records["first_device"])]
    frame = frame[frame["step"] == frame.groupby("node")["step"].transform("max")]
    device = table.canonical_device.cast("string").to_pandas()
    frame["device"] = device.to_numpy(dtype=object)[frame["node"]]
    is_gpu = frame["device"].str.contains("gpu", regex=False, na=False).astype(bool)
    return frame[is_gpu].assign(step=0)
