"""TOML files that users write: any other bytes give a one-line error."""

from __future__ import annotations

from pathlib import Path

import pytest

from tfprof_report.errors import OptionError
from tfprof_report.toml_file import read_toml


def test_a_byte_order_mark_is_no_content(tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    file.write_bytes(b"\xef\xbb\xbfkey = 1\n")
    assert read_toml(str(file), "--config") == {"key": 1}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"key = ", "is not a TOML file (Invalid value (at end of document))"),
        (b"key = 1\nkey = 2\n", "is not a TOML file (Cannot overwrite a value (at line 2, column 8))"),
        (b"a = 1\nkey = '\xff'", "is not UTF-8 (byte 0xff in line 2)"),
        (b"\xff\xfek\x00", "is not UTF-8 (byte 0xff in line 1)"),
        (b"key = " + b"[" * 5000, "is nested too deeply"),
        (b"a" + b".a" * 101 + b" = 1", "has a line with more than 100 dots"),
        (b"key = 0x" + b"f" * 5000, "has a number of more than 1000 digits"),
        (b"#" * 10_000_000, "is larger than 256 KiB"),
    ],
)
def test_what_is_no_toml_is_one_line_that_names_the_file_and_the_option(
    tmp_path: Path, content: bytes, said: str
) -> None:
    file = tmp_path / "a.toml"
    file.write_bytes(content)
    with pytest.raises(OptionError) as error:
        read_toml(str(file), "--config")
    assert str(error.value) == f"{file} (--config): {said}"


@pytest.mark.parametrize(
    ("name", "said"), [("", "Is a directory"), ("missing", "No such file or directory"), ("a\0b", "bad name")]
)
def test_what_cannot_be_read_says_why(tmp_path: Path, name: str, said: str) -> None:
    with pytest.raises(OptionError, match=rf"\(--config\): cannot be read \({said}\)$"):
        read_toml(str(tmp_path / name), "--config")


def test_a_long_message_is_cut(tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    file.write_text(f"{'k' * 9000} = 1\n{'k' * 9000} = 2\n[{'k' * 9000}.b]\n")
    with pytest.raises(OptionError) as error:
        read_toml(str(file), "--config")
    assert len(str(error.value)) < len(str(file)) + 430
