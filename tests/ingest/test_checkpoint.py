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
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from messages import new, shape_proto
from repository import DATA
from wire import varint

from tfprof_report.diagnostics import Severity
from tfprof_report.errors import InputError
from tfprof_report.ingest.checkpoint import open_checkpoint, read_tensor, slice_key
from tfprof_report.ingest.table_file import MAGIC, read_table_file, unmask
from tfprof_report.model.join.checkpoint_variables import compare_with_checkpoint

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


@settings(max_examples=examples(60), deadline=None)
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


@settings(max_examples=examples(60), deadline=None)
@given(
    st.dictionaries(st.binary(max_size=6), st.binary(max_size=200), max_size=20),
    st.integers(1, 6),
    st.booleans(),
)
def test_every_table_gives_its_pairs(pairs: dict[bytes, bytes], per_block: int, snappy: bool) -> None:  # noqa: FBT001
    ordered = sorted(pairs.items())
    assert list(read_table_file(table(ordered, per_block=per_block, snappy=snappy))) == ordered


# Small files that claim to be large --------------------------------------------------------------------------------


def index_of(tmp_path: Path, pairs: list[tuple[bytes, bytes]], values: bytes = b"", *, snappy: bool = False) -> Path:
    """Write a checkpoint with one data file; pairs of names and BundleEntryProto follow the header."""
    header = new("tensorflow.BundleHeaderProto", num_shards=1).SerializeToString()
    (tmp_path / "ck.index").write_bytes(table([(b"", header), *pairs], per_block=1000, snappy=snappy))
    (tmp_path / "ck.data-00000-of-00001").write_bytes(values)
    return tmp_path / "ck"


def tensor(shape: list[int], size: int, offset: int = 0, values: bytes = b"") -> bytes:
    crc = int.from_bytes(masked(values), "little")
    made = new("tensorflow.BundleEntryProto", dtype=1, shape=shape_proto(shape), size=size, offset=offset, crc32c=crc)
    return bytes(made.SerializeToString())


@pytest.mark.parametrize(
    ("shape", "size", "problem"),
    [
        ([1] * 65, 4, "v has 65 dimensions; values with more than 64 are not read"),
        ([2**62, 0], 0, "the values of v are damaged: its size does not fit its shape"),
        ([2**63 - 1, 2**63 - 1, 0], 0, "the values of v are damaged: its size does not fit its shape"),
        ([-1, -4], 16, "the values of v are damaged: its size does not fit its shape"),
        ([2**40], 2**42, "the values of v are damaged: ck.data-00000-of-00001 is too short"),
    ],
)
def test_a_shape_that_no_array_has_is_refused(tmp_path: Path, shape: list[int], size: int, problem: str) -> None:
    path = index_of(tmp_path, [(b"v", tensor(shape, size))], b"1234")
    assert refusal(path, "v").removesuffix("; write the checkpoint again") == f"PATH (--checkpoint): {problem}"


def test_a_shape_of_64_dimensions_and_one_without_elements_are_read(tmp_path: Path) -> None:
    values = b"\0\0\x80\x3f"
    path = index_of(tmp_path, [(b"e", tensor([3, 0], 0)), (b"v", tensor([1] * 64, 4, values=values))], values)
    checkpoint = open_checkpoint(str(path), option="")
    assert read_tensor(checkpoint, "v").shape == (1,) * 64
    assert read_tensor(checkpoint, "v").item() == 1.0
    assert read_tensor(checkpoint, "e").shape == (3, 0)


def test_names_that_are_not_utf_8_are_those_of_no_node(tmp_path: Path) -> None:
    values = b"\0\0\x80\x3f"
    others = [(name, b"") for name in (b"\xed\xa0\x80", b"\xff")]
    saved = (b"w", tensor([1], 4, values=values))
    path = index_of(tmp_path, [(b"\\xe9", b""), (b"f\xe9v", b""), saved, *others], values)
    checkpoint = open_checkpoint(str(path), option="")
    assert list(checkpoint.variables) == [r"\xe9", "w"]
    assert checkpoint.others == (r"f\xe9v", r"\xed\xa0\x80", r"\xff")
    assert read_tensor(checkpoint, "w").item() == 1.0
    (note,) = compare_with_checkpoint(pa.array(["w", r"\xe9", r"\xff"]), checkpoint)
    assert (note.severity, note.count, note.examples) == (Severity.NOTE, 3, checkpoint.others)
    (warning,) = compare_with_checkpoint(pa.array([r"\xff"]), checkpoint)
    assert (warning.severity, warning.count) == (Severity.WARNING, 5)


def damage(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        open_checkpoint(str(path), option="")
    return f"{caught.value} ({caught.value.details})".replace(str(path), "PATH")


def test_tensors_that_claim_the_same_bytes_are_refused(tmp_path: Path) -> None:
    path = index_of(tmp_path, [(b"a", tensor([2], 8)), (b"b", tensor([2], 8, offset=4))], bytes(12))
    assert damage(path) == "PATH.index: the index of the checkpoint is damaged (tensors overlap in the data file)"


def test_a_slice_that_is_listed_twice_is_refused(tmp_path: Path) -> None:
    part = new("tensorflow.TensorSliceProto", extent=[{"start": 0, "length": 2}])
    whole = new("tensorflow.BundleEntryProto", dtype=1, shape=shape_proto([4]), slices=[part, part])
    key = slice_key("p", [(0, 2)])
    path = index_of(tmp_path, [(key, tensor([2], 8)), (b"p", whole.SerializeToString())], bytes(8))
    assert "its slices repeat" in refusal(path, "p")


def test_more_entries_than_any_model_has_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tfprof_report.ingest.checkpoint.MAX_ENTRIES", 3)
    pairs = [(b"v%d" % number, b"") for number in range(4)]
    assert len(open_checkpoint(str(index_of(tmp_path, pairs[:3])), option="").entries) == 3
    assert damage(index_of(tmp_path, pairs)) == (
        "PATH.index: the index of the checkpoint has more than 3 entries: it is not read (None)"
    )


def test_keys_that_prefixes_make_long_are_refused() -> None:
    """Every key is one byte longer than the one before it: 40,000 of them would have 800 MB."""
    body = b"".join(varint(length) + b"\x01\x00k" for length in range(40_000)) + bytes(8)
    handle = varint(0) + varint(len(body))
    index = b"\0" + varint(1) + varint(len(handle)) + b"z" + handle + bytes(8)
    blocks = [content + b"\0" + masked(content + b"\0") for content in (body, index)]
    footer = varint(0) * 2 + varint(len(blocks[0])) + varint(len(index))
    with pytest.raises(ValueError, match="has keys of more than 67,108,864 bytes"):
        list(read_table_file(b"".join(blocks) + footer.ljust(40, b"\0") + MAGIC))


@pytest.mark.parametrize("handles", [(0, 0), (1, 0)])
def test_blocks_that_are_listed_twice_or_out_of_order_are_refused(handles: tuple[int, int]) -> None:
    contents = [block([(b"a", b"")]), block([(b"b", b"")])]
    out, places = b"", []
    for content in contents:
        places.append(varint(len(out)) + varint(len(content)))
        out += content + b"\0" + masked(content + b"\0")
    index = block([(b"%d" % number, places[which]) for number, which in enumerate(handles)])
    footer = varint(0) * 2 + varint(len(out)) + varint(len(index))
    whole = out + index + b"\0" + masked(index + b"\0") + footer.ljust(40, b"\0") + MAGIC
    with pytest.raises(ValueError, match="blocks overlap"):
        list(read_table_file(whole))


def test_keys_that_are_not_in_order_are_refused() -> None:
    for keys in (b"ba", b"aa"):
        pairs = [(keys[:1], b""), (keys[1:], b"")]
        with pytest.raises(ValueError, match="keys are not in order"):
            list(read_table_file(table(pairs, per_block=1, snappy=False)))


def test_a_block_that_claims_more_than_compression_can_give_is_refused() -> None:
    claimed = varint(2**27) + b"\0"
    stored = claimed + b"\x01" + masked(claimed + b"\x01")
    footer = varint(0) * 2 + varint(0) + varint(len(claimed))
    with pytest.raises(ValueError, match="a block is too large"):
        list(read_table_file(stored + footer.ljust(40, b"\0") + MAGIC))


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
