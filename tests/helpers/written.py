"""Writes views to files and parses them: events of a timeline, samples of a profile, weights of stacks."""

from __future__ import annotations

import contextlib
import gzip
import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from tfprof_report.ingest.descriptors import message_class
from tfprof_report.model.measurement import AS_TFPROF
from tfprof_report.model.node_table import NodeTable
from tfprof_report.options import Options
from tfprof_report.render.tfprof.output_spec import OutputSpec, OutputType
from tfprof_report.render.tfprof.write_view import answer
from tfprof_report.semantics import CORRECTED, Semantics


class Written(NamedTuple):
    """The standard output of a query, and the files that it wrote, without ``.meta.json``."""

    text: str
    files: dict[str, bytes]

    @property
    def only(self) -> bytes:
        """The only file."""
        (data,) = self.files.values()
        return data


def written(
    table: NodeTable, view: str, kind: OutputType, semantics: Semantics = CORRECTED, options: Options | None = None
) -> Written:
    """Write a view to files called ``out`` or ``out_STEP``."""
    spec = OutputSpec(type=kind, outfile="out")
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        asked = replace(AS_TFPROF, options=options or Options(), semantics=semantics)
        text = "".join(answer(table, view, asked, output=spec, files=(), note=lambda _: None))
        files = {path.name: path.read_bytes() for path in sorted(Path().iterdir())}
    described = {name for name in files if name.endswith(".meta.json")}
    assert described == {f"{name}.meta.json" for name in files.keys() - described}
    return Written(text, {name: data for name, data in files.items() if name not in described})


def events(data: bytes) -> list[dict[str, Any]]:
    """Return the events of a timeline, which is one line of JSON with sorted keys."""
    parsed = json.loads(data)
    assert data == json.dumps(parsed, sort_keys=True, separators=(",", ":")).encode() + b"\n"
    found: list[dict[str, Any]] = parsed["traceEvents"]
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """A pprof file with texts in place of numbers; a stack is (function, line) pairs, innermost first."""

    types: list[tuple[str, str]]
    samples: list[tuple[list[tuple[str, int]], list[int], list[str]]]

    def totals(self) -> list[int]:
        """Return the sum of each sample type."""
        return [sum(values[at] for _, values, _ in self.samples) for at in range(len(self.types))]


def profile(data: bytes) -> Profile:
    """Return the content of a pprof file."""
    assert data[4:8] == b"\0\0\0\0"  # no time
    message: Any = message_class("perftools.profiles.Profile").FromString(gzip.decompress(data))
    text = list(message.string_table)
    functions = {each.id: text[each.name] for each in message.function}
    locations = {each.id: [(functions[line.function_id], line.line) for line in each.line] for each in message.location}
    return Profile(
        types=[(text[each.type], text[each.unit]) for each in message.sample_type],
        samples=[
            (
                [line for number in each.location_id for line in locations[number]],
                list(each.value),
                [text[label.str] for label in each.label],
            )
            for each in message.sample
        ],
    )


def stacks(data: bytes) -> Iterator[tuple[list[str], float]]:
    r"""Yield the unescaped names and the weight of each line of folded stacks."""
    for line in data.decode().splitlines():
        names, _, weight = line.rpartition(" ")
        yield [unescape(name) for name in names.split(";")], float(weight)


def unescape(name: str) -> str:
    """Undo the escapes of a name in folded stacks."""
    return "" if name == "\\empty" else name.encode("latin-1", "backslashreplace").decode("unicode_escape")
