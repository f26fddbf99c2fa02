from __future__ import annotations

import pytest

from tfprof_report.compare.bounds.speeds import NO_SPEED, DeviceSpeed, device_name, short_name, speed_of

GPU = "/job:worker/replica:0/task:1/device:gpu:0"


def speed(device: str) -> DeviceSpeed:
    return DeviceSpeed(device=device, float_ops_per_second={"float16": 2.0, "default": 1.0})


@pytest.mark.parametrize("glob", ["gpu:0", "gpu:*", "**/device:gpu:0", "/job:worker/**", GPU])
def test_a_device_is_named_by_its_end_or_as_a_whole(glob: str) -> None:
    assert speed_of(f"{GPU}/stream:all", [speed(glob)]).device == glob
    assert speed_of("/gpu:1", [speed("gpu:0")]) is NO_SPEED


def test_the_last_entry_that_matches_counts() -> None:
    speeds = [speed("gpu:*"), speed("gpu:0"), speed("cpu:*")]
    assert speed_of(GPU, speeds).device == "gpu:0"
    assert speed_of("/gpu:1", speeds).device == "gpu:*"


def test_a_type_without_a_peak_has_the_default() -> None:
    found = speed("gpu:0")
    assert [found.peak_of(dtype) for dtype in ("float16", "float32", None)] == [2, 1, 1]
    assert NO_SPEED.peak_of("float32") is None


def test_kernels_are_those_of_their_device() -> None:
    assert device_name(f"{GPU}/stream:all") == GPU
    assert device_name("/cpu:0") == "/cpu:0"
    assert [short_name(name) for name in (GPU, f"{GPU}/stream:all", "/cpu:0")] == ["gpu:0", "gpu:0", "cpu:0"]
