"""Compare our output with that of the native profiler, on random models and on real ones.

    make conformance [CONFORMANCE_CASES=2000] [CORPUS=folder]

The native profiler runs in a separate interpreter, behind `native_worker.py`. A case is a model and an option set, run
through all four views and advise; text, returned message and written files are compared. Random cases come from the
hypothesis strategies of the tests, so that a difference is shrunk before it is printed; on the models of a corpus,
random option sets are tried. The exit code is 1 on any difference, and if an option value or a quirk never occurred. A
quirk occurs if flipping its switch changes our output.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import dataclasses
import difflib
import gzip
import io
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any, cast

from google.protobuf import json_format, text_format
from google.protobuf.message import DecodeError
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.database import InMemoryExampleDatabase

from tfprof_report.errors import TfprofReportError
from tfprof_report.ingest.descriptors import message_class
from tfprof_report.model.build_table import build_node_table
from tfprof_report.model.node_table import NodeTable
from tfprof_report.options import Options
from tfprof_report.profiler.run_query import ask, ask_advice
from tfprof_report.schema.metrics import ROOT
from tfprof_report.semantics import TFPROF, Semantics
from tfprof_report.views.build_view import build_layout
from tfprof_report.views.patterns import is_valid
from tfprof_report.views.query import REGEX_OPTIONS

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent.parent / "tests" / "helpers")]
from goldens import META, content, sections  # noqa: E402 - by the path
from messages import entry, graph, inputs_of, models, node, op_log, ran, run_meta  # noqa: E402 - by the path
from option_draws import NATIVE_ORDER_BY, NATIVE_SELECT, OUTPUTS, option_dicts  # noqa: E402 - by the path

COMMANDS = ("scope", "graph", "op", "code", "advise")
BYTES_PER_CASE = 2**14
"""Random bytes from which a case is drawn; most need fewer."""

ENOUGH = 10
"""A switch that occurred this often is no longer flipped, since every flip costs a query."""

ELSEWHERE = {
    *("batch_matmul_ignores_adj_x", "add_n_counts_control_inputs", "refuse_channels_first"),  # the FLOPs registry,
    *("l2_loss_of_nothing_is_negative", "absent_run_shape_is_scalar", "run_metadata_silences_skipped"),  # likewise
    *("views_are_built_once", "added_step_keeps_shapes", "added_step_replaces_op_log"),  # steps added between queries
    *("late_definitions_are_lost", "profile_forgets_missing_stream"),  # graphs and files that no case has
    "count_nameless",  # likewise: the names of the cases are never empty
    "gradients_divide_by_strides",  # the FLOPs registry
    *("fused_nodes_have_no_runs", "count_what_never_runs"),  # timeline labels; functions and signatures
    "few_tensor_types",  # checkpoints, which only the native command line reads
    "ignore_checker_options",  # the native Python layer raises
}
"""Switches that these cases cannot show."""

DIFF_LINES = 12
IDLE_SHRINKS = 3
"""Attempts in a row without progress before a difference counts as minimal: a single one may stop early."""

MAX_DIFFERENCES = 5
GRAPH = "graph.pb"
RETURNED = {
    **dict.fromkeys(("scope", "graph"), "tensorflow.tfprof.GraphNodeProto"),
    **dict.fromkeys(("op", "code"), "tensorflow.tfprof.MultiGraphNodeProto"),
    "advise": "tensorflow.tfprof.AdviceProto",
}
MESSAGES = {
    "graph": "tensorflow.GraphDef",
    "run_meta": "tensorflow.RunMetadata",
    "op_log": "tensorflow.tfprof.OpLogProto",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """The messages of a model, which both sides read."""

    graph: Any
    run_metas: list[tuple[int, Any]]
    op_log: Any | None

    def table(self) -> NodeTable:
        """Return our node table."""
        return build_node_table(inputs_of(self.graph, self.run_metas, self.op_log), semantics=TFPROF)

    def text(self) -> str:
        """Return the messages in text format, each on a line."""
        parts = [("graph", self.graph), *((f"step {step}", message) for step, message in self.run_metas)]
        parts += [] if self.op_log is None else [("op_log", self.op_log)]
        return "\n".join(
            f"    {name}: {text_format.MessageToString(message, as_one_line=True, as_utf8=True)}"
            for name, message in parts
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """The output of one side for a query, as lines by part: ``text``, ``returned`` and each written file."""

    status: str
    parts: dict[str, list[str]]


@dataclass(slots=True, kw_only=True)
class Tally:
    """Counts of what was compared so far, and the differences."""

    compared: Counter[str] = field(default_factory=Counter)
    not_compared: Counter[str] = field(default_factory=Counter)
    values: Counter[tuple[str, str]] = field(default_factory=Counter)
    switches: Counter[str] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)


def uncounted() -> Tally:
    """Return a tally with which no switch is flipped, for shrinking and for large models."""
    return Tally(switches=Counter(dict.fromkeys(switches(), ENOUGH)))


class Native:
    """The native profiler behind a pipe."""

    def __init__(self, python: str) -> None:
        worker = Path(__file__).with_name("native_worker.py")
        self._process = subprocess.Popen(
            [python, str(worker)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )

    def ask(self, model: Model, queries: Sequence[tuple[str, dict[str, Any]]]) -> list[Output]:
        """Return the native tool's output for each (view, options) of a model."""
        if self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError("the worker has no pipes")
        request = {
            "graph": packed(model.graph),
            "run_metas": [(step, packed(message)) for step, message in model.run_metas],
            "op_log": packed(model.op_log),
            "queries": queries,
        }
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the native worker ended, code {self._process.wait()}")
        return [output_of(command, answer) for (command, _), answer in zip(queries, json.loads(line), strict=True)]

    def close(self) -> None:
        """Close the pipe, which ends the worker, and wait for it."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait()


def packed(message: Any | None) -> str:
    """Return a serialized message as text for JSON."""
    return base64.b64encode(b"" if message is None else message.SerializeToString()).decode()


def output_of(command: str, answer: dict[str, Any]) -> Output:
    """Return an answer of the worker as lines; without the message if it is nested too deeply for protobuf."""
    parts = {"text": text_lines(command, base64.b64decode(answer["text"]))}
    with contextlib.suppress(DecodeError):
        parts["returned"] = message_lines(
            message_class(RETURNED[command]).FromString(base64.b64decode(answer["proto"]))
        )
    parts |= {f"file {name}": file_lines(base64.b64decode(data)) for name, data in answer["files"].items()}
    return Output(status=answer["status"], parts=parts)


def ours(table: NodeTable, command: str, options: dict[str, Any], semantics: Semantics) -> Output:
    """Return our output for a query."""
    printed = io.StringIO()
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.chdir(folder),
        contextlib.redirect_stdout(printed),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        try:
            if command == "advise":
                message = ask_advice(table, None, semantics)
            else:
                layout_of = partial(build_layout, table, semantics=semantics)
                result = ask(table, command, options, semantics, layout_of=layout_of, files=(), rules="none")
                message = result.to_proto()
        except TfprofReportError as error:
            return Output(status=f"refused: {error}", parts={})
        files = {path.name: path.read_bytes() for path in Path(folder).iterdir() if path.suffixes[-2:] != META}
    parts = {"text": text_lines(command, printed.getvalue().encode()), "returned": message_lines(message)}
    return Output(status="ok", parts=parts | {f"file {name}": file_lines(data) for name, data in files.items()})


def text_lines(command: str, data: bytes) -> list[str]:
    """Return the lines of a text, the sections of advise sorted."""
    text = b"".join(sections(data)) if command == "advise" else data
    return text.decode(errors="backslashreplace").split("\n")


def message_lines(message: Any) -> list[str]:
    """Return all fields of a message."""
    fields = json_format.MessageToDict(message, preserving_proto_field_name=True)
    return json.dumps(fields, indent=1, sort_keys=True, ensure_ascii=False).split("\n")


def file_lines(data: bytes) -> list[str]:
    """Return the content of a file, one part per line."""
    return [str(part) for part in content(data)]


# Comparing --------------------------------------------------------------------------------------------------------


def compare(native: Native, model: Model, options: dict[str, Any], tally: Tally) -> str:
    """Return the first difference of the two sides over all views, empty if there is none; count what was compared."""
    table = model.table()
    if ROOT in table.column("name").to_pylist():  # the native tool crashes on it in most views, or hangs
        tally.not_compared[f"a node is called {ROOT}"] += 1
        return ""
    answers = native.ask(model, [(command, {} if command == "advise" else options) for command in COMMANDS])
    for command, answer in zip(COMMANDS, answers, strict=True):
        found = ours(table, command, options, TFPROF)
        count_switches(table, command, options, found, tally)
        if answer.status != "ok":  # the native tool crashed or raised: there is nothing to compare
            tally.not_compared[f"{command}: native {answer.status.partition(': ')[0]}"] += 1
            continue
        if "returned" not in answer.parts:
            found.parts.pop("returned", None)
        if found != answer:
            return describe(model, command, options, answer, found)
        tally.compared.update(f"{command} {part}" for part in answer.parts)
    count_values(options, tally)
    return ""


def describe(model: Model, command: str, options: dict[str, Any], native: Output, found: Output) -> str:
    """Return a difference as text: the query, the differing lines, the model."""
    lines = [f"{command} {json.dumps(options, ensure_ascii=False)}"]
    if native.status != found.status:
        lines.append(f"    native {native.status}, ours {found.status}")
    for part in sorted({*native.parts, *found.parts}):
        sides = (native.parts.get(part, ["(none)"]), found.parts.get(part, ["(none)"]))
        diff = difflib.unified_diff(*sides, f"native {part}", "ours", n=0, lineterm="")
        lines += [f"    {line}" for line in islice(diff, DIFF_LINES)]
    return "\n".join([*lines, model.text()[:4000]])


def count_switches(table: NodeTable, command: str, options: dict[str, Any], usual: Output, tally: Tally) -> None:
    """Count the switches that change our output, `usual`, when flipped."""
    for switch in switches():
        if tally.switches[switch] < ENOUGH:
            flipped = ours(table, command, options, dataclasses.replace(TFPROF, **{switch: False}))
            tally.switches[switch] += flipped != usual


def switches() -> list[str]:
    """Return the names of the switches that may occur here."""
    names = [each.name for each in dataclasses.fields(Semantics)]
    if unknown := ELSEWHERE.difference(names):
        raise ValueError(f"there is no switch {sorted(unknown)}")
    return [name for name in names if name not in ELSEWHERE]


def count_values(options: dict[str, Any], tally: Tally) -> None:
    """Count each value of each option."""
    for name, value in options.items():
        words = [value]
        if name in REGEX_OPTIONS:
            words = [pattern_kind(pattern) for pattern in value] or ["empty"]
        elif name == "step":
            words = ["mean" if value < 0 else "a step"]
        elif name == "select":
            words = value or ["empty"]
        tally.values.update((name, str(word)) for word in {*words})
    known = [each.name for each in dataclasses.fields(Options)]
    tally.values.update((name, "missing") for name in known if name not in options)


def pattern_kind(pattern: str) -> str:
    """Return the kind of a pattern, as it is counted."""
    return ".*" if pattern == ".*" else "a regex" if is_valid(pattern) else "refused by RE2"


# Random models ----------------------------------------------------------------------------------------------------


def directed() -> Iterator[tuple[Model, dict[str, Any]]]:
    """Yield cases that random draws seldom hit, as models and options."""
    two = graph(node("a", "A"), node("b", "B"))
    everything = {f"{word}_name_regexes": [".*"] for word in ("start", "show")} | {"account_type_regexes": [".*"]}
    opposite = op_log(entry("a", float_ops=-1), entry("b", float_ops=1))
    together = run_meta({"/cpu:0": [ran("a", start=5, micros=3), ran("b", start=5, micros=4)]})
    yield Model(graph=two, run_metas=[], op_log=opposite), {**everything, "select": ["float_ops"]}
    yield Model(graph=two, run_metas=[(0, together)], op_log=None), {**everything, "output": "timeline:outfile=time"}
    yield Model(graph=graph(), run_metas=[], op_log=None), {**everything, "select": ["micros", "occurrence"]}


class DifferenceFoundError(Exception):
    """A case on which the two sides differ; hypothesis shrinks it."""


def run_random(native: Native, *, cases: int, first_seed: int, tally: Tally) -> None:
    """Compare `cases` random models; minimise each difference before looking for the next one."""
    for model, options in directed():
        if difference := compare(native, model, options, tally):
            report(difference, tally)
    random = Random(first_seed)  # noqa: S311 - cases, not secrets
    found: list[str] = []

    @settings(
        database=InMemoryExampleDatabase(),
        phases=[Phase.reuse, Phase.shrink],
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(models(), st.data())
    def check(made: tuple[Any, Any, Any], data: st.DataObject) -> None:
        model = Model(graph=made[0], run_metas=made[1], op_log=made[2])
        steps = tuple(step for step, _ in model.run_metas)
        options = data.draw(option_dicts(steps=(*steps, 3), names=[node.name for node in model.graph.node]))
        if difference := compare(native, model, options, uncounted() if found else tally):
            found.append(difference)
            raise DifferenceFoundError

    fuzz = cast("Any", check).hypothesis.fuzz_one_input
    for number in range(1, cases + 1):
        try:
            # Draw independently: hypothesis itself prefers small cases and variations of earlier ones.
            fuzz(random.randbytes(BYTES_PER_CASE))
        except DifferenceFoundError:
            size, idle = len(found[0]), 0
            while idle < IDLE_SHRINKS:
                with contextlib.suppress(DifferenceFoundError):
                    check()  # the failing case is in the database: this shrinks it
                smallest = min(map(len, found))
                size, idle = smallest, 0 if smallest < size else idle + 1
            report(min(found, key=len), tally)
            found.clear()
        if len(tally.differences) == MAX_DIFFERENCES:
            print(f"stopped after {MAX_DIFFERENCES} differences")
            break
        if number % 100 == 0:
            print(f"{number} random models, {tally.compared.total()} compared", flush=True)


def report(difference: str, tally: Tally) -> None:
    """Record a difference and print it at once."""
    tally.differences.append(difference)
    print(f"difference: {difference}", flush=True)


# Real models ------------------------------------------------------------------------------------------------------


def run_corpus(native: Native, corpus: Path, *, cases: int, first_seed: int, tally: Tally) -> None:
    """Compare random option sets on every model of a corpus."""
    random = Random(first_seed)  # noqa: S311 - options, not secrets
    for folder in sorted(path for path in corpus.iterdir() if (path / "golden" / "index.json").is_file()):
        if existing(folder, GRAPH) is None:
            print(f"{folder.name}: left out, it has no {GRAPH}")
            continue
        model = read_model(folder)
        steps = tuple(step for step, _ in model.run_metas)
        names = [node.name for node in islice(model.graph.node, 0, None, max(1, len(model.graph.node) // 50))]
        own = uncounted()
        for options in drawn(option_dicts(steps=steps, names=names), cases, random):
            if difference := compare(native, model, options, own):
                report(f"{folder.name}: {difference}", tally)
        print(f"{folder.name}: {own.compared.total()} compared", flush=True)
        tally.compared += own.compared
        tally.not_compared += own.not_compared
        tally.values += own.values


def drawn(strategy: st.SearchStrategy[Any], count: int, random: Random) -> list[Any]:
    """Return about `count` values of a strategy."""
    values: list[Any] = []

    @settings(database=None, deadline=None)
    @given(strategy)
    def collect(value: Any) -> None:
        values.append(value)

    for _ in range(count):
        cast("Any", collect).hypothesis.fuzz_one_input(random.randbytes(BYTES_PER_CASE))
    return values


def read_model(folder: Path) -> Model:
    """Return the binary messages of a model folder; with several run metadata files all are steps."""
    single = existing(folder, "run_meta")
    files = [(0, single)] if single else []
    numbered = [(step, existing(folder, f"run_meta_{step}")) for step in range(1, 10)]
    if any(path for _, path in numbered):
        files = [(step, path) for step, path in numbered if path]
    op_log = existing(folder, "tfprof_log")
    return Model(
        graph=parsed(existing(folder, GRAPH) or folder / GRAPH, "graph"),
        run_metas=[(step, parsed(path, "run_meta")) for step, path in files if path],
        op_log=parsed(op_log, "op_log") if op_log else None,
    )


def existing(folder: Path, name: str) -> Path | None:
    """Return the path of a file or of its ``.gz``, None if there is neither."""
    return next((path for path in (folder / name, folder / f"{name}.gz") if path.is_file()), None)


def parsed(path: Path, kind: str) -> Any:
    """Return the message in a binary file."""
    data = path.read_bytes()
    return message_class(MESSAGES[kind]).FromString(gzip.decompress(data) if path.suffix == ".gz" else data)


# The report -------------------------------------------------------------------------------------------------------


def print_tally(tally: Tally) -> Iterator[str]:
    """Print what was compared and how often each value and quirk occurred; yield those that never did."""
    print("option values:")
    for name in [*(each.name for each in dataclasses.fields(Options)), "output"]:
        counts = {word: count for (option, word), count in sorted(tally.values.items()) if option == name}
        wanted = {
            "order_by": NATIVE_ORDER_BY,
            "select": NATIVE_SELECT,
            "account_displayed_op_only": ("True", "False"),
        }.get(name, ())
        wanted = OUTPUTS if name == "output" else wanted
        if name in REGEX_OPTIONS:
            wanted = (".*", "empty", "a regex", "refused by RE2", "missing")
        counts = dict.fromkeys(wanted, 0) | counts
        print(f"  {name:<28}{', '.join(f'{word} {count}' for word, count in counts.items())}")
        yield from (f"{name} {word}" for word, count in counts.items() if not count)
    print("quirks, by the switch whose flip changes our output:")
    for switch in switches():
        count = tally.switches[switch]
        print(f"  {switch:<32}{count}{' or more' if count >= ENOUGH else ''}")
        if not count:
            yield f"the quirk {switch}"
    print("not compared, since the native tool ended without an answer:")
    for what, count in sorted(tally.not_compared.items()):
        print(f"  {count:>6}  {what}")
    print("compared:")
    for what, count in sorted(tally.compared.items()):
        print(f"  {count:>6}  {what}")


def main() -> int:
    """Run all comparisons; return 1 on a difference, or if an option value or a quirk never occurred."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--native", required=True, metavar="PYTHON", help="an interpreter that has tensorflow-cpu")
    parser.add_argument("--cases", type=int, default=2000, metavar="N", help="random models")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="another seed draws other cases")
    parser.add_argument("--corpus", type=Path, action="append", default=[], metavar="DIR", help="folders of models")
    parser.add_argument("--corpus-cases", type=int, default=20, metavar="N", help="random option sets per model")
    arguments = parser.parse_args()

    started = time.monotonic()
    tally = Tally()
    native = Native(arguments.native)
    run_random(native, cases=arguments.cases, first_seed=arguments.seed, tally=tally)
    for corpus in arguments.corpus:
        run_corpus(native, corpus, cases=arguments.corpus_cases, first_seed=arguments.seed, tally=tally)
    native.close()
    never = list(print_tally(tally))
    for what in never:
        print(f"never occurred: {what}")
    seconds = time.monotonic() - started
    print(f"{tally.compared.total()} compared, {len(tally.differences)} differences, {seconds:.0f} s")
    return int(bool(tally.differences or never) or not tally.compared)


if __name__ == "__main__":
    sys.exit(main())
