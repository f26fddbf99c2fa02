"""Compare our outputs with recorded outputs of the native profiler.

Texts are compared byte for byte; the sections of advise, whose native order is random, as a set; timelines and pprof
files by content; returned messages, where they were recorded, by all their fields.

    make goldens CORPUS=folder        (default: tests/data/goldens)

A corpus holds two kinds of folders:

* a model: input files and ``golden/index.json``, a list of cases. The inputs and options of a case are in the index
  itself or in the JSON file that it names under ``json``;
* a single case: input files, ``options.json`` and ``expected.txt``.

Any file may be gzipped; ``wrote`` or ``files`` of a case names the recording of each file that it wrote, ``proto``
holds or names the message that the last call returned. Every case is equal, unequal, or excluded with a reason; the
three counts add up to the index.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import gzip
import io
import json
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any

import numpy as np
from google.protobuf import json_format, text_format

from tfprof_report.ingest.descriptors import message_class
from tfprof_report.ingest.paths import InputPaths
from tfprof_report.ingest.read import read_inputs
from tfprof_report.model.build_table import build_node_table
from tfprof_report.model.flops.node_flops import use_rules
from tfprof_report.model.node_table import NodeTable
from tfprof_report.profiler.run_query import ask, ask_advice
from tfprof_report.semantics import TFPROF
from tfprof_report.views.build_view import build_layout
from tfprof_report.views.layout import Layout

META = [".meta", ".json"]
DEFAULT_CORPUS = Path(__file__).resolve().parent.parent / "tests" / "data" / "goldens"
COMMANDS = ("scope", "graph", "op", "code", "advise")
PYTHON_API = {
    "max_depth": 10,
    "min_bytes": 0,
    "min_peak_bytes": 0,
    "min_residual_bytes": 0,
    "min_output_bytes": 0,
    "min_micros": 0,
    "min_accelerator_micros": 0,
    "min_cpu_micros": 0,
    "min_params": 0,
    "min_float_ops": 0,
    "min_occurrence": 0,
    "step": -1,
    "order_by": "name",
    "account_type_regexes": [],
    "start_name_regexes": [],
    "trim_name_regexes": [],
    "show_name_regexes": [],
    "hide_name_regexes": [],
    "account_displayed_op_only": False,
    "select": [],
    "output": "stdout",
    "dump_to_file": "",
}
"""All fields of OptionsProto, with the defaults of the native Python API."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One recorded run.

    inputs : files of the folder by role (graph, run_meta, op_log, profile)
    steps : pairs of step number and run metadata; None if the run used the one-shot interface
    views : the views in the order of the calls, as command and options
    rules : the argument of `profiler.profile`; ``tfprof`` if TensorFlow's Python layer was involved
    files : the recordings of the files that the run wrote, by their original names
    proto : the file with the message that the last view returned; None if it was not recorded
    excluded : why the case is not compared; None if it is
    graphs : graphs that were added with a step, after the given number of other steps
    asked_after : the number of steps at the time of each view; empty for all steps
    """

    model: str
    group: str
    name: str
    folder: Path
    inputs: Mapping[str, str]
    steps: list[tuple[int, str]] | None
    views: list[tuple[str, dict[str, Any]]]
    rules: str
    expected: Path | None
    files: Mapping[str, Path]
    proto: Path | None
    excluded: str | None
    graphs: tuple[tuple[int, str], ...] = ()
    asked_after: tuple[int, ...] = ()


def run_case(case: Case) -> tuple[str, Any]:
    """Return what the queries of a case print on standard output, and what the last one returns.

    Files are written to the current folder; standard error is not compared. A view is built at its first use, as in
    tfprof, and again after a graph was added.
    """
    printed, result = io.StringIO(), None
    layouts: dict[tuple[str, Any], Layout] = {}
    for (cmd, options), after in zip(case.views, case.asked_after or [None] * len(case.views), strict=True):
        steps = tuple(case.steps[:after]) if case.steps is not None else None
        graphs = tuple((before, name) for before, name in case.graphs if after is None or before < after)
        table = node_table(case.folder, tuple(sorted(case.inputs.items())), steps, graphs, case.rules)

        def layout_of(view: str, table: NodeTable = table, graphs: Any = graphs) -> Layout:
            layout = layouts.setdefault((view, graphs), build_layout(table, view, TFPROF))
            late = table.count - len(layout.row_of_node)
            return replace(layout, row_of_node=np.append(layout.row_of_node, np.full(late, -1)))

        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
            if cmd == "advise":
                asked = options.get("checkers", options)
                result = ask_advice(table, {name: {} for name in asked or ["none"]}, TFPROF)
            else:
                result = ask(table, cmd, options, TFPROF, layout_of=layout_of, files=(), rules=case.rules)
    return printed.getvalue(), result


@cache
def node_table(
    folder: Path,
    inputs: tuple[tuple[str, str], ...],
    steps: tuple[tuple[int, str], ...] | None,
    graphs: tuple[tuple[int, str], ...],
    rules: str,
) -> NodeTable:
    """Return the node table of some files, built once for all cases that use them.

    `inputs` names files of `folder` by role (graph, run_meta, op_log, profile); names may lack their ``.gz``. With
    `steps` None the run metadata, if any, is step 0; otherwise each pair is a step number and the file that is added to
    it. Each of `graphs` is a graph file with the number of steps after which it is added.
    """
    files = {role: str(existing(folder / name)) for role, name in inputs}
    run_metas = [(0, files["run_meta"])] if "run_meta" in files else []
    if steps is not None:
        run_metas = [(number, str(existing(folder / name))) for number, name in steps]
    paths = InputPaths(
        graph=files.get("graph"),
        run_metas=tuple(run_metas),
        op_log=files.get("op_log"),
        profile=files.get("profile"),
        later_graphs=tuple((before, str(existing(folder / name))) for before, name in graphs),
    )
    return build_node_table(read_inputs(paths), use_rules(rules, TFPROF, fill_shapes=True), TFPROF)


def find_cases(corpus: Path) -> Iterator[Case]:
    """Yield all cases of all folders of `corpus`, ordered by folder name."""
    for folder in sorted(path for path in corpus.resolve().iterdir() if path.is_dir()):
        if (folder / "golden" / "index.json").is_file():
            yield from model_cases(folder)
        elif (folder / "options.json").is_file():
            yield single_case(folder)


def model_cases(folder: Path) -> Iterator[Case]:
    """Yield the cases that the index of a model lists."""
    golden = folder / "golden"
    for entry in json.loads(read(golden / "index.json")):
        details = {**entry, **(json.loads(read(golden / entry["json"])) if "json" in entry else {})}
        inputs = dict(details["inputs"])
        steps = inputs.pop("steps", None)
        yield Case(
            model=folder.name,
            group=entry["name"].partition("/")[0],
            name=f"{entry['id']} {entry['name']}",
            folder=folder,
            inputs=inputs,
            steps=[(number, file) for number, file in steps] if steps is not None else None,
            views=[(details["cmd"], PYTHON_API | details["options"])],
            rules="none",
            expected=golden / entry["stdout"] if entry.get("stdout") else None,
            files={name: golden / record for name, record in entry.get("wrote", {}).items()},
            proto=golden / entry["json"] if "proto" in details else None,
            excluded=reason(status=details["status"], views=[(details["cmd"], details["options"])]),
        )


def single_case(folder: Path) -> Case:
    """Return the case of a folder; its calls may add steps and query views in any order."""
    spec = json.loads(read(folder / "options.json"))
    calls = spec.get("calls", [])
    added = [call for call in calls if call["call"] == "add_step"]
    asked = [call for call in calls if call["call"] == "profile"]
    views: list[tuple[str, dict[str, Any]]] = [(call["cmd"], call.get("options", {})) for call in asked or [spec]]
    excluded = reason(status=spec["expected"]["native_status"], views=views)
    recorded = spec["expected"].get("proto")
    before = [sum(call["call"] == "add_step" for call in calls[:at]) for at in range(len(calls))]
    return Case(
        model=folder.parent.name,
        group=spec["name"].partition("-")[0],
        name=folder.name,
        folder=folder,
        inputs=spec["inputs"],
        steps=[(call["step"], call["run_meta"]) for call in added] if calls else None,
        views=[(cmd, PYTHON_API | options) for cmd, options in views],
        rules="tfprof" if spec["engine"] == "python_api" else "none",
        expected=folder / spec["expected"]["stdout"],
        files={name: folder / record for name, record in spec["expected"].get("files", {}).items()},
        proto=folder / recorded if recorded and existing(folder / recorded).exists() else None,
        excluded=excluded,
        graphs=tuple((number, call["graph"]) for number, call in enumerate(added) if "graph" in call),
        asked_after=tuple(number for number, call in zip(before, calls, strict=True) if call["call"] == "profile"),
    )


def reason(*, status: str, views: list[tuple[str, dict[str, Any]]]) -> str | None:
    """Return why a case is excluded, None if it is not."""
    if status != "ok":
        return "native: it crashed or raised"
    for cmd, _ in views:
        if cmd not in COMMANDS:
            return f"view: {cmd} is none"
    return None


def check(case: Case) -> tuple[str, list[str]]:
    """Run `case`; return its outcome and, where it is unequal, the lines that differ."""
    if case.excluded:
        return f"excluded, {case.excluded}", []
    try:
        actual, files, result = run(case)
    except Exception as error:  # noqa: BLE001 - a case that raises must not hide the others
        return "unequal", [f"{type(error).__name__}: {error}"]
    lines = text_difference(case, actual) or file_difference(case, files) or proto_difference(case, result)
    return "unequal" if lines else "equal", lines


def run(case: Case) -> tuple[bytes, dict[str, bytes], Any]:
    """Return what `case` prints, the files that it writes, all views together, and what its last view returns."""
    with tempfile.TemporaryDirectory() as folder:
        with contextlib.chdir(folder):
            printed, result = run_case(case)
        files = {path.name: path.read_bytes() for path in Path(folder).iterdir() if path.suffixes[-2:] != META}
    return printed.encode(), files, result


def text_difference(case: Case, actual: bytes) -> list[str]:
    """Return the lines in which the text differs from the recorded one."""
    if case.expected is None:
        return ["there is no recorded output"]
    expected = read(case.expected)
    if actual == expected or (case.views[0][0] == "advise" and sections(actual) == sections(expected)):
        return []
    native, ours = (data.decode(errors="backslashreplace").split("\n") for data in (expected, actual))
    return list(difflib.unified_diff(native, ours, "native", "ours", n=0, lineterm=""))


def file_difference(case: Case, files: dict[str, bytes]) -> list[str]:
    """Return the first part of a written file that differs from the recorded one."""
    if files.keys() != case.files.keys():
        return [f"native files: {sorted(case.files)}", f"our files: {sorted(files)}"]
    for name, record in case.files.items():
        parts = zip_longest(content(read(record)), content(files[name]))
        for at, (native, ours) in enumerate(parts):
            if native != ours:
                return [f"{name}, part {at}", f"native {native}", f"ours   {ours}"]
    return []


def proto_difference(case: Case, result: Any) -> list[str]:
    """Return where the returned message differs from the recorded one."""
    if case.proto is None:
        return []
    message = result.to_proto() if hasattr(result, "to_proto") else result
    ours = as_text(json_format.MessageToDict(message, preserving_proto_field_name=True))
    if case.proto.name.endswith(".pbtxt"):
        recorded = text_format.Parse(read(case.proto).decode(), type(message)())
        native = as_text(json_format.MessageToDict(recorded, preserving_proto_field_name=True))
    else:
        native = as_text(json.loads(read(case.proto))["proto"])
    if ours == native:
        return []
    at = next((at for at, pair in enumerate(zip(native, ours, strict=False)) if len(set(pair)) > 1), -1)
    return [
        f"message, character {at}",
        *(f"{who} {text[max(at - 200, 0) : at + 100]}" for who, text in (("native", native), ("ours  ", ours))),
    ]


def as_text(message: dict[str, Any]) -> str:
    """Return a message in protobuf's JSON form as text with sorted keys; equal messages have equal texts."""
    return json.dumps(message, sort_keys=True)


def content(data: bytes) -> list[Any]:
    """Return the parts of a file: the events of a timeline, the tables of a profile, or the lines of a text."""
    if data.startswith(b"\x1f\x8b"):
        profile = message_class("perftools.profiles.Profile").FromString(gzip.decompress(data))
        return resolved(json_format.MessageToDict(profile, preserving_proto_field_name=True))
    try:
        parsed = json.loads(data)
    except ValueError:
        return data.splitlines(keepends=True)
    return parsed["traceEvents"] if "traceEvents" in parsed else resolved(parsed)


def resolved(profile: dict[str, Any]) -> list[Any]:
    """Return a profile in protobuf's JSON form with strings, functions and locations in place of their ids."""

    def texts(record: dict[str, Any], *names: str) -> list[str]:
        return [profile["string_table"][int(record.get(name, 0))] for name in names]

    functions = {
        int(each["id"]): (*texts(each, "name", "filename"), int(each.get("start_line", 0)))
        for each in profile.get("function", [])
    }
    locations = {
        int(each["id"]): [(functions[int(line["function_id"])], int(line.get("line", 0))) for line in each["line"]]
        for each in profile.get("location", [])
    }
    samples = [
        (
            [locations[int(number)] for number in each.get("location_id", [])],
            [int(value) for value in each["value"]],
            [texts(label, "key", "str") for label in each["label"]],
        )
        for each in profile.get("sample", [])
    ]
    types = [texts(each, "type", "unit") for each in profile["sample_type"]]
    comments = [profile["string_table"][int(number)] for number in profile.get("comment", [])]
    return [types, comments, *functions.values(), *locations.values(), *samples]


def sections(text: bytes) -> list[bytes]:
    """Return the sections of advise, sorted: the native tool prints them in random order."""
    return sorted(re.split(rb"\n(?=\w+Checker:\n)", text))


def read(path: Path) -> bytes:
    """Return the bytes of `path`, or of its ``.gz``, unpacked."""
    path = existing(path)
    data = path.read_bytes()
    return gzip.decompress(data) if path.suffix == ".gz" else data


def existing(path: Path) -> Path:
    """Return `path`, or the same with ``.gz`` if only that exists."""
    packed = path.with_name(path.name + ".gz")
    return packed if not path.exists() and packed.exists() else path


def main() -> int:
    """Run a corpus and print the table; return 1 if any case is unequal or there is none to compare."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("corpus", type=Path, nargs="?", default=DEFAULT_CORPUS)
    parser.add_argument("--diff", type=int, default=0, metavar="N", help="print the first N differing lines of a case")
    arguments = parser.parse_args()
    sys.setrecursionlimit(100_000)  # recorded messages of graph views nest as deep as their graphs

    started = time.monotonic()
    counts: Counter[tuple[str, str, str]] = Counter()
    for case in find_cases(arguments.corpus):
        outcome, lines = check(case)
        counts[case.model, case.group, outcome] += 1
        if outcome == "unequal":
            print(f"unequal: {case.model} {case.name}")
            for line in islice(lines, arguments.diff):
                print(f"    {line}")

    print(f"{'model':<28}{'group':<26}{'cases':>6}  outcome")
    for (model, group, outcome), count in sorted(counts.items()):
        print(f"{model:<28}{group:<26}{count:>6}  {outcome}")
    for index in arguments.corpus.glob("*/golden/index.json"):
        model = index.parent.parent.name
        if len(json.loads(read(index))) != sum(count for key, count in counts.items() if key[0] == model):
            raise AssertionError(f"{model}: the outcomes do not add up to its index")
    totals = Counter[str]()
    for (_, _, outcome), count in counts.items():
        totals[outcome.partition(",")[0]] += count
    summary = ", ".join(f"{totals[word]} {word}" for word in ("equal", "unequal", "excluded"))
    print(f"{summary}; {totals.total()} cases in {time.monotonic() - started:.0f} s")
    return int(totals["unequal"] > 0 or totals["equal"] == 0)


if __name__ == "__main__":
    sys.exit(main())
