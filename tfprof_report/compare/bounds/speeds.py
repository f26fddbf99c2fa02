"""What devices can do at most, as the rules file says it, and which of its entries a device has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa

from tfprof_report.compare.gates.globs import matches
from tfprof_report.record import record

DEFAULT = "default"
"""The key of the peak of all types that have none of their own."""

_OF_KERNELS = "/stream:all"


@record
class DeviceSpeed:
    """The peaks of the devices that a glob matches.

    float_ops_per_second : by type, such as ``float16``, or `DEFAULT`; empty if not known
    bytes_per_second : of its memory; None if not known
    launch_micros : an execution that takes less than this, in microseconds, is bound by its launch; None for no limit
    """

    device: str
    float_ops_per_second: Mapping[str, float]
    bytes_per_second: float | None = None
    launch_micros: float | None = None

    def peak_of(self, dtype: str | None) -> float | None:
        """Return the peak of a type, None if it is not known."""
        peaks = self.float_ops_per_second
        return peaks.get(dtype or DEFAULT, peaks.get(DEFAULT))


NO_SPEED = DeviceSpeed(device="", float_ops_per_second={})
"""What is known of a device that no entry matches."""


def device_name(device: str) -> str:
    """Return the name of the device that executes: without the part that says that its kernels are meant."""
    return device.removesuffix(_OF_KERNELS)


def short_name(device: str) -> str:
    """Return the end of a device's name, which is the same on every machine: ``gpu:0``."""
    return device_name(device).rpartition("/")[2].removeprefix("device:")


def speed_of(device: str, speeds: Sequence[DeviceSpeed]) -> DeviceSpeed:
    """Return the last entry that matches a device, by its whole name or by its end: ``gpu:0``; else `NO_SPEED`."""
    names = pa.array([device_name(device), short_name(device)])
    return next((speed for speed in reversed(speeds) if matches(names, speed.device).any()), NO_SPEED)
