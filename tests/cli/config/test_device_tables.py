"""The peaks of devices in a rules file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tfprof_report.cli.config.file import read_rules_file
from tfprof_report.compare.bounds.speeds import DeviceSpeed
from tfprof_report.errors import OptionError


def devices(text: str, folder: Path) -> tuple[DeviceSpeed, ...]:
    file = folder / "tfprof-report.toml"
    file.write_text(text)
    return read_rules_file(str(file), None).devices


def test_peaks_are_written_like_limits(tmp_path: Path) -> None:
    text = """
        [devices."gpu:*"]
        float_ops_per_second = { float16 = "989T", bfloat16 = 989e12, default = "67.5 T" }
        bytes_per_second = "3.35TB"
        launch_micros = "5us"

        [devices."cpu:0"]
        float_ops_per_second = "200G"
        bytes_per_second = "1KiB"
        launch_micros = 2
    """
    assert devices(text, tmp_path) == (
        DeviceSpeed(
            device="gpu:*",
            float_ops_per_second={"float16": 989e12, "bfloat16": 989e12, "default": 67.5e12},
            bytes_per_second=3.35e12,
            launch_micros=5,
        ),
        DeviceSpeed(device="cpu:0", float_ops_per_second={"default": 200e9}, bytes_per_second=1024, launch_micros=2),
    )


def test_what_is_not_known_is_left_out(tmp_path: Path) -> None:
    assert devices("[devices.'**']", tmp_path) == (DeviceSpeed(device="**", float_ops_per_second={}),)
    assert devices("gates = []", tmp_path) == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("bytes_per_second = 'fast'", 'devices.gpu:0.bytes_per_second is "fast", not an amount such as "900G"'),
        ("bytes_per_second = '9X'", 'bytes_per_second: "9X" is not an amount such as "900G"'),
        ("float_ops_per_second = '9GB'", 'float_ops_per_second: "9GB" is not an amount such as "19.5T"'),
        ("launch_micros = '9T%'", 'devices.gpu:0.launch_micros is "9T%", not an amount such as "900G"'),
        ("bytes_per_second = 0", "devices.gpu:0.bytes_per_second is 0, not above 0; leave out what is not known"),
        ("bytes_per_second = '0G'", "bytes_per_second: 0G is not above 0; leave out what is not known"),
        ("bytes_per_second = nan", "bytes_per_second: nan is not above 0; leave out what is not known"),
        ("bytes_per_second = inf", "bytes_per_second: inf is not above 0; leave out what is not known"),
        ("bytes_per_second = true", "devices.gpu:0.bytes_per_second is true, not text in quotes or a number"),
        ("bytes_per_secnd = 1", "devices.gpu:0.bytes_per_secnd is not known; did you mean bytes_per_second?"),
        ("float_ops_per_second = { flot16 = 1 }", "float_ops_per_second.flot16 is not known; did you mean float16?"),
    ],
)
def test_what_cannot_be_read_is_one_line(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(OptionError) as caught:
        devices(f"[devices.'gpu:0']\n{text}", tmp_path)
    line = str(caught.value)
    assert said in line
    assert "\n" not in line


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[devices.'gpu:[']", 'a "[" of the glob "gpu:[" has no "]"'),
        ("[devices]\ngpu = 1", "devices.gpu is 1, not a table"),
        ("[devices.'']\nlaunch_micros = 1", "the glob is empty"),
        ("\n".join(f"[devices.d{at}]" for at in range(101)), "devices has more than 100 items"),
    ],
)
def test_a_device_is_named_by_a_glob(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=said.replace("[", r"\[").replace("]", r"\]")):
        devices(text, tmp_path)
