"""Tells which message a file is, or names the kind of file that was given by mistake, and what to give instead.

Content decides; the name is asked only where the content says nothing.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from itertools import chain

from google.protobuf.message import DecodeError

from tfprof_report.errors import InputError
from tfprof_report.ingest import sniff
from tfprof_report.ingest.descriptors import message_class, message_descriptor
from tfprof_report.ingest.sniff import FULL_NAMES, Kind
from tfprof_report.ingest.table_file import MAGIC as TABLE_MAGIC
from tfprof_report.ingest.text.invalid_text import invalid_text

_MESSAGES_OF = {
    Kind.GRAPH: (Kind.GRAPH, Kind.META_GRAPH, Kind.SAVED_MODEL),
    Kind.RUN_META: (Kind.RUN_META, Kind.STEP_STATS),
}
"""The messages that are read for a kind; of the others only the kind itself."""

_OPTIONS = {
    Kind.GRAPH: "graph",
    Kind.META_GRAPH: "graph",
    Kind.SAVED_MODEL: "graph",
    Kind.RUN_META: "run-meta",
    Kind.STEP_STATS: "run-meta",
    Kind.OP_LOG: "op-log",
    Kind.PROFILE: "profile",
    Kind.XPLANE: "xplane",
}
"""The option that reads each kind."""

_EXPORT = "load it with Keras, write it with model.export(FOLDER), and give FOLDER"
_SOURCE = "give the SavedModel or GraphDef that it was made from"
_RECORD = "give the .xplane.pb beside it with --xplane; tfprof-report init --snippet tf-function shows how to record one"
_UNPACK = "unpack it first"
_PREFIX = "pass it with --{side}checkpoint"


@dataclass(frozen=True, slots=True)
class Foreign:
    """A kind of file that is not read.

    name : with an article
    advice : what to do; ``{side}`` stands for the prefix of an option, and None for what the option expects
    kinds : the kinds of input that the advice is for
    """

    name: str
    advice: str | None = None
    kinds: Collection[Kind] = field(default=frozenset(Kind))


_MODEL = (Kind.GRAPH,)
_KERAS, _PYTORCH = Foreign("a Keras model", _EXPORT, _MODEL), Foreign("a PyTorch file", _SOURCE, _MODEL)
_MAGIC = (
    (4, b"TFL3", Foreign("a TFLite model", _SOURCE, _MODEL)),
    (0, b"\x1f\x8b", Foreign("a gzip file within a gzip file", _UNPACK)),
    (0, b"\x89HDF", Foreign("an HDF5 file, such as Keras weights or a Keras model", _EXPORT, _MODEL)),
    (0, b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j", _PYTORCH),
    (0, b"\x93NUMPY", Foreign("a NumPy array")),
    (0, b"PAR1", Foreign("a Parquet file", "give the folder of the report that it is from", _MODEL)),
    (0, b"ML\xefR", Foreign("MLIR bytecode", _SOURCE, _MODEL)),
    (0, b"\x89PNG", Foreign("a PNG picture")),
    (0, b"%PDF", Foreign("a PDF document")),
    (0, b"\x7fELF", Foreign("a program or library")),
    (0, b"BZh", Foreign("a bzip2 file", _UNPACK)),
    (0, b"\xfd7zXZ", Foreign("an xz file", _UNPACK)),
    (0, b"\x28\xb5\x2f\xfd", Foreign("a Zstandard file", _UNPACK)),
    (257, b"ustar", Foreign("a tar archive", _UNPACK)),
    (-len(TABLE_MAGIC), TABLE_MAGIC, Foreign("the index of a TensorFlow checkpoint", _PREFIX)),
)
"""Where a file has which bytes."""

_OTHER_MESSAGES = (
    ("foreign.OnnxModel", Foreign("an ONNX model", _SOURCE, _MODEL)),
    ("foreign.Fingerprint", Foreign("the fingerprint of a SavedModel", "give the folder of the SavedModel", _MODEL)),
)

_TEXTS = (
    (
        r"\s*[{\[](?s:.*)\"traceEvents\"",
        Foreign("a Chrome trace in JSON, as TensorBoard's profiler writes it", _RECORD),
    ),
    (r"\s*\{(?s:.*)\"(modelTopology|weightsManifest)\"", Foreign("a TensorFlow.js model", _SOURCE, _MODEL)),
    (r"\s*\{(?s:.*)\"class_name\"", Foreign("the JSON configuration of a Keras model", _EXPORT, _MODEL)),
    (r"(\s*#[^\n]*\n)*\s*(\[\[?[\w.\"' -]+\]\]?\s*(#.*)?$|[\w.\"'-]+ *= *[^=\s])", Foreign("TOML")),
    (r"\s*[{\[]", Foreign("JSON")),
    (r"\s*<", Foreign("HTML or XML")),
    (
        r"\s*(model_checkpoint_path|all_model_checkpoint_paths)\s*:",
        Foreign("the list of a folder's checkpoints", _PREFIX),
    ),
    (r"(?s:.)", Foreign("plain text")),
)
"""Beginnings of texts, the first that matches counts."""

_TEXT_HEAD = 65536
_DATA_NAME = re.compile(r"\.data-\d{5}-of-\d{5}(\.gz)?")


def form_of(data: bytes, kind: Kind, *, file: str, option: str) -> tuple[Kind, str]:
    """Return which message for `kind` the bytes are, and whether as binary or text; InputError if they are none."""
    if not data:
        return kind, "empty"
    kinds = _MESSAGES_OF.get(kind, (kind,))
    # Binary is tried first: a small binary message may have no control characters and look like text, but text never
    # has the structure of a binary message.
    if (fitting := next((each for each in kinds if sniff.fits(data, each)), None)) is not None:
        return fitting, "binary"
    if not sniff.has_controls(data) and (beginning := next((each for each in kinds if begins_like(data, each)), None)):
        return beginning, "text"
    known = recognise(data)
    if known is None:
        if (
            unusual := next((each for each in kinds if sniff.may_be(data, each) and _parses(data, each)), None)
        ) is not None:
            return unusual, "binary"
        known = recognise_text(data) if sniff.is_text(data) else recognise_name(file)
    raise _wrong_kind(data, known, kind, file=file, option=option)


def _parses(data: bytes, kind: Kind) -> bool:
    """Return whether protobuf itself can parse `data`, or could but for a text that is not UTF-8."""
    try:
        message_class(FULL_NAMES[kind]).FromString(data)
    except DecodeError:
        return invalid_text(data, message_descriptor(FULL_NAMES[kind])) is not None
    return True


def begins_like(data: bytes, kind: Kind) -> bool:
    """Return whether the first field of a text is a field of `kind`."""
    return sniff.first_field_name(data) in message_descriptor(FULL_NAMES[kind]).fields_by_name


def recognise(data: bytes) -> Foreign | None:
    """Return what `data`, which is no message of ours, certainly is; None if that is not certain."""
    if data.startswith(b"PK\x03\x04"):
        return _archive(data)
    by_magic = (found for at, magic, found in _MAGIC if data.startswith(magic, at))
    by_structure = (found for name, found in _OTHER_MESSAGES if sniff.shows_message(data, name))
    return next(chain(by_magic, _by_ends(data), by_structure), None)


def recognise_text(data: bytes) -> Foreign:
    """Return what a text that is no message of ours is."""
    head = data[:_TEXT_HEAD].decode("utf-8", "replace").removeprefix("\ufeff")
    return next(found for pattern, found in _TEXTS if re.match(pattern, head, re.MULTILINE))


def recognise_name(file: str) -> Foreign | None:
    """Return what the name of a file that has no recognisable content says; None if it says nothing."""
    return Foreign("by its name the values of a TensorFlow checkpoint", _PREFIX) if _DATA_NAME.search(file) else None


def _by_ends(data: bytes) -> Iterator[Foreign]:
    if data[:1] == b"\x80" and data[1:2] in b"\x02\x03\x04\x05" and data.endswith(b"."):
        yield Foreign("a Python pickle")
    if data[8:9] == b"{" and int.from_bytes(data[:8], "little") < len(data):
        yield Foreign("a safetensors file")


def _archive(data: bytes) -> Foreign:
    """Return what a zip archive contains."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        names = []
    if {"config.json", "metadata.json"} <= set(names):
        return _KERAS
    if any(name.endswith("data.pkl") for name in names):
        return _PYTORCH
    if names and all(name.endswith(".npy") for name in names):
        return Foreign("a NumPy archive")
    return Foreign("a zip archive", _UNPACK)


def _wrong_kind(data: bytes, known: Foreign | None, kind: Kind, *, file: str, option: str) -> InputError:
    """Return the error for a file that is of another kind than its option says."""
    wanted, found = sniff.a_message(kind), sniff.describe(data)
    side = next((side for side in ("base-", "head-") if option.startswith(f"--{side}")), "")
    advice = f"give {wanted} as binary, text or gzip"
    if found is not None and (known is None or sniff.is_text(data)):
        text = " in text form" if sniff.is_text(data) else ""
        problem = f"is not {wanted}; it looks like {sniff.a_message(found)}{text}"
        advice = f"pass it with --{side}{_OPTIONS[found]}"
    elif known is not None:
        problem = f"is {known.name}, not {wanted}"
        if known.advice is not None and kind in known.kinds:
            advice = known.advice.format(side=side)
    elif sniff.breaks_off(data, kind):
        problem = f"is not {wanted}: damaged, cut short, or another kind of file"
    else:
        problem = f"is not {wanted}: it has few or none of its fields"
    return InputError(problem, file=file, option=option, advice=advice)
