"""Checkpoints that TensorFlow wrote, with every dtype, shards and slices; and damaged ones."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import google_crc32c
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from repository import DATA
from wire import varint

from tfprof_report.errors import InputError
from tfprof_report.ingest.checkpoint import open_checkpoint, read_tensor, slice_key
from tfprof_report.ingest.table_file import MAGIC, read_table_file, unmask

FOLDER = DATA / "checkpoints"
EXPECTED = {
    (name, key): facts
    for name in ("dtypes", "sharded")
    for key, facts in json.loads((FOLDER / f"{name}.expect.json").read_text()).items()
}
"""What TensorFlow's own reader gave for each tensor of the two checkpoints."""


@pytest.mark.parametrize(("name", "key"), EXPECTED)
def test_values_are_those_that_tensorflow_reads(name: str, key: str) -> None:
    expected = EXPECTED[name, key]
    checkpoint = open_checkpoint(str(FOLDER / name), option="--checkpoint")
    variable, values = checkpoint.variables[key], read_tensor(checkpoint, key)
    assert variable.dtype == expected["dtype"]
    assert list(variable.shape) == list(values.shape) == expected["shape"]
    stored = b"".join(values.reshape(-1)) if variable.dtype == "string" else np.ascontiguousarray(values).tobytes()
    assert hashlib.sha256(stored).hexdigest() == expected["sha256"]


def test_slices_are_no_variables_of_their_own() -> None:
    for name in ("dtypes", "sharded"):
        checkpoint = open_checkpoint(str(FOLDER / name), option="")
        assert list(checkpoint.variables) == sorted(key for of, key in EXPECTED if of == name)
    assert [key for key, each in checkpoint.variables.items() if each.is_sliced] == ["part/a", "part/b"]


@pytest.mark.parametrize("name", ["sharded", "sharded.index"])
def test_a_checkpoint_is_named_by_its_prefix_or_its_index(name: str) -> None:
    checkpoint = open_checkpoint(str(FOLDER / name), option="")
    assert checkpoint.file.path == str(FOLDER / "sharded.index")
    assert checkpoint.file.role == "checkpoint"


def copied(tmp_path: Path) -> Path:
    for file in FOLDER.glob("sharded*"):
        shutil.copy(file, tmp_path)
    return tmp_path / "sharded"


def test_a_folder_stands_for_the_one_checkpoint_in_it(tmp_path: Path) -> None:
    copied(tmp_path)
    assert open_checkpoint(str(tmp_path), option="").prefix == str(tmp_path / "sharded")


def refusal(path: Path | str, *names: str) -> str:
    with pytest.raises(InputError) as caught:  # noqa: PT012 (opening and reading are both what may be refused)
        checkpoint = open_checkpoint(str(path), option="--checkpoint")
        for name in names or checkpoint.variables:
            read_tensor(checkpoint, name)
    assert "\n" not in str(caught.value)
    return str(caught.value).replace(str(path), "PATH")


def test_a_path_that_is_no_checkpoint_is_one_line(tmp_path: Path) -> None:
    assert refusal(tmp_path / "x") == (
        "PATH (--checkpoint): no such checkpoint: x.index does not exist; check the path"
    )
    assert refusal(tmp_path).startswith("PATH (--checkpoint): the folder holds no checkpoint; name one by its prefix")
    for name in ("a.index", "b.index"):
        (tmp_path / name).write_bytes(b"no table")
    assert refusal(tmp_path).startswith("PATH (--checkpoint): the folder holds 2 checkpoints (a, b); name one")
    assert refusal(tmp_path / "a") == "PATH.index (--checkpoint): is not the index of a TensorFlow checkpoint"
    (tmp_path / "old.ckpt").write_bytes(bytes(40) + MAGIC)
    assert "the older single-file format is not read" in refusal(tmp_path / "old.ckpt")


def test_a_missing_or_short_data_file_is_one_line(tmp_path: Path) -> None:
    prefix = copied(tmp_path)
    Path(f"{prefix}.data-00002-of-00003").write_bytes(b"")
    assert "the values of c are damaged: sharded.data-00002-of-00003 is too short" in refusal(prefix, "c")
    Path(f"{prefix}.data-00002-of-00003").unlink()
    assert refusal(prefix, "c").endswith("(No such file or directory); keep the .data files beside the .index")


def test_a_changed_byte_is_noticed_when_its_tensor_is_read(tmp_path: Path) -> None:
    prefix = copied(tmp_path)
    file = Path(f"{prefix}.data-00002-of-00003")
    data = bytearray(file.read_bytes())
    data[3] ^= 1
    file.write_bytes(data)
    assert read_tensor(open_checkpoint(str(prefix), option=""), "plain") == 3
    assert "damaged: its checksum is wrong" in refusal(prefix)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(0, 255))
def test_a_changed_index_is_refused_or_says_the_same(at: int, byte: int) -> None:
    data = bytearray((FOLDER / "sharded.index").read_bytes())
    at %= len(data) - len(MAGIC)
    data[at] = byte
    try:
        found = dict(read_table_file(bytes(data)))
    except ValueError:
        return
    # The padding of the footer and the metaindex block, which TensorFlow leaves empty, are not read.
    assert found == dict(read_table_file((FOLDER / "sharded.index").read_bytes()))


# Tables that TensorFlow does not write, but the format allows -----------------------------------------------------


def masked(data: bytes) -> bytes:
    crc = google_crc32c.value(data)
    return (((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF).to_bytes(4, "little")


def block(pairs: list[tuple[bytes, bytes]], *, restart_every: int = 3) -> bytes:
    out, restarts, last = bytearray(), [], b""
    for number, (key, value) in enumerate(pairs):
        shared = 0
        if number % restart_every:
            while shared < min(len(key), len(last)) and key[shared] == last[shared]:
                shared += 1
        else:
            restarts.append(len(out))
        out += varint(shared) + varint(len(key) - shared) + varint(len(value)) + key[shared:] + value
        last = key
    return bytes(out) + b"".join(number.to_bytes(4, "little") for number in [*restarts, len(restarts)])


def table(pairs: list[tuple[bytes, bytes]], *, per_block: int, snappy: bool) -> bytes:
    out, handles = bytearray(), []

    def add(content: bytes) -> bytes:
        stored = pa.compress(content, codec="snappy", asbytes=True) if snappy else content
        handle = varint(len(out)) + varint(len(stored))
        stored += bytes([snappy])
        out.extend(stored + masked(stored))
        return handle

    for start in range(0, len(pairs), per_block):
        part = pairs[start : start + per_block]
        handles.append((part[-1][0] + b"\xff", add(block(part))))
    footer = add(block([])) + add(block(handles))
    return bytes(out) + footer.ljust(40, b"\0") + MAGIC


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(st.binary(max_size=6), st.binary(max_size=200), max_size=20),
    st.integers(1, 6),
    st.booleans(),
)
def test_every_table_gives_its_pairs(pairs: dict[bytes, bytes], per_block: int, snappy: bool) -> None:  # noqa: FBT001
    ordered = sorted(pairs.items())
    assert list(read_table_file(table(ordered, per_block=per_block, snappy=snappy))) == ordered


def test_a_checksum_comes_back_from_its_masked_form() -> None:
    assert unmask(int.from_bytes(masked(b"123456789"), "little")) == 0xE3069283


@pytest.mark.parametrize(
    ("extents", "numbers"),
    [
        ([(0, -1)], "0101 80 7f"),
        ([(5, 63), (64, 8191)], "0102 85 bf c040 df ff"),
        ([(8192, 2**40)], "0101 e02000 fd0000000000"),
    ],
)
def test_the_key_of_a_slice_is_tensorflows_ordered_code(extents: list[tuple[int, int]], numbers: str) -> None:
    assert slice_key("a\0b", extents) == b"\0a\0\xffb\0\x01" + bytes.fromhex(numbers)


def keys_of(path: Path) -> dict[bytes, Any]:
    return dict(open_checkpoint(str(path), option="").entries)


def test_tensorflow_wrote_the_same_keys_of_slices() -> None:
    entries = keys_of(FOLDER / "sharded")
    assert {key for key in entries if key[:1] == b"\0"} == {
        slice_key("part/a", [(0, 2), (0, 70)]),
        slice_key("part/a", [(0, 2), (70, 60)]),
        slice_key("part/a", [(2, 4), (0, -1)]),
        slice_key("part/b", [(0, 200), (0, -1)]),
        slice_key("part/b", [(200, 100), (0, -1)]),
    }
