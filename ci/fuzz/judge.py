"""What is a fault: how a command ended, what it said, and what it left behind."""

from __future__ import annotations

import hashlib
import json
import re
import signal
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NoReturn
from xml.etree import ElementTree as ET

import jsonschema

from fuzz.run import CPU_S, Result
from fuzz.values import MARKUP
from tfprof_report.errors import ExitCode

_LARGEST_RSS = 3 << 29
"""1.5 GB: the stated 1 GB, and what a fork has from the start."""

_COMMENT_LIMIT = 65_536
_MOST_LINES = 40
_ERRORS = (ExitCode.USAGE, ExitCode.INPUT, ExitCode.BASELINE)
_WRITES_REPORT = ("report", "diff")
_NOISE = re.compile(r"panicked.{0,80}|\w*Warning:.{0,80}|Exception ignored.{0,60}|terminate called.*|out of memory.*")
_INTERNAL = re.compile(r"internal error \((.{0,100})")
_SCHEMA = Path(__file__).resolve().parents[2] / "docs" / "verdict.schema.json"


def judge(result: Result, folder: Path) -> tuple[str, ...]:
    """Return the faults of a command that ended, with its files still in `folder`; their texts have no numbers."""
    faults = (*_ending(result), *_words(result), *_left_behind(result, folder), *_output(result, folder))
    return tuple(dict.fromkeys(re.sub(r"\d{2,}", "N", fault) for fault in faults))


def _ending(result: Result) -> Iterator[str]:
    if result.code in (-signal.SIGXCPU, -signal.SIGALRM, -signal.SIGKILL):
        yield f"hangs: over {CPU_S} seconds of processor time, or waits"
    elif result.code not in set(ExitCode):
        yield f"exit code {result.code}"
    if result.rss > _LARGEST_RSS:
        yield "takes over 1 GB of memory"


def _words(result: Result) -> Iterator[str]:
    text = result.stderr.decode("utf-8", "replace")
    if internal := _INTERNAL.search(text):
        yield f"internal error: {internal[1]}"
    if "Traceback" in text:
        yield f"traceback: {text.strip().splitlines()[-1][:100]}"
    yield from _NOISE.findall(text)
    if b"\x1b" in result.stderr:
        yield "escape character on standard error"
    if result.code not in _ERRORS or result.command.arguments[:1] == ("shell",):
        return
    if not any(line.startswith("tfprof-report: ") and "warning:" not in line for line in text.splitlines()):
        yield "an error without a line"
    if result.stdout and result.code in (ExitCode.USAGE, ExitCode.INPUT):
        yield "standard output after an error"


def _left_behind(result: Result, folder: Path) -> Iterator[str]:
    if left := sorted(str(path) for path in folder.rglob("*.tfprof-report.*")):
        yield f"temporary file left: {Path(left[0]).suffix}"
    if result.command.arguments[:1] == ("shell",) or not result.made:
        return
    is_whole = result.code == ExitCode.BASELINE and any(name.endswith("summary.json") for name in result.made)
    if result.code in _ERRORS and not is_whole:
        yield f"files after an error, such as {Path(min(result.made)).name}"


def _output(result: Result, folder: Path) -> Iterator[str]:
    arguments = result.command.arguments
    for name in sorted(result.made):
        path = folder / name
        if path.name == "verdict.json" and arguments[0] in _WRITES_REPORT:
            yield from _report_faults(path.parent)
        elif path.name.endswith(".meta.json"):
            yield from _json_faults(path.name, path.read_bytes())
    if result.code in _ERRORS:
        return
    for option, check in (("--junit", _xml_faults), ("--openmetrics", _metrics_faults), ("--comment", _comment_faults)):
        for name in _values(arguments, option):
            if (folder / name).is_file() and arguments[0] in _WRITES_REPORT and name in result.made:
                yield from check((folder / name).read_bytes())
    if arguments[0] == "history":
        yield from _beside_a_history(result, folder)
    yield from _beside_each_other(result, folder)
    if "--json" in arguments and result.code == ExitCode.OK and result.stdout:
        yield from _json_faults("--json", result.stdout)


def _page_faults(folder: Path, name: str) -> Iterator[str]:
    """Yield the faults of the folder of a history or a comparison, whose files have this name."""
    try:
        _strict_json((folder / f"{name}.json").read_bytes())
        (folder / f"{name}.md").read_bytes().decode()
        page = (folder / f"{name}.html").read_bytes()
        page.decode()
        yield from (f"markup in {name}.html: {word.decode()}" for word in MARKUP if word in page)
    except (OSError, ValueError) as error:
        yield f"folder of a {name}: {type(error).__name__} {str(error)[-80:]}"


def _beside_a_history(result: Result, folder: Path) -> Iterator[str]:
    arguments = result.command.arguments
    for name in sorted(result.made):
        if name.endswith("/history.json"):
            yield from _page_faults((folder / name).parent, "history")
    files = [(name.partition("=")[2], _badge_faults) for name in _values(arguments, "--badge")]
    for name, check in [*files, *((name, _chat_faults) for name in _values(arguments, "--chat"))]:
        if name in result.made:
            yield from check((folder / name).read_bytes())


def _beside_each_other(result: Result, folder: Path) -> Iterator[str]:
    """Yield the faults of reports side by side."""
    for name in sorted(result.made):
        if name.endswith("/compare.json"):
            yield from _page_faults((folder / name).parent, "compare")


def _badge_faults(data: bytes) -> Iterator[str]:
    try:
        badge = _strict_json(data)
    except ValueError as error:
        yield f"--badge is no JSON: {error}"
        return
    if badge["color"] == "brightgreen" and ("isError" in badge or not badge["message"][:1].isdigit()):
        yield "--badge of an unknown figure is green"


def _chat_faults(data: bytes) -> Iterator[str]:
    text = data.decode()
    if len(text.splitlines()) > _MOST_LINES:
        yield "--chat is too long"
    if re.search(r"[<>]|@\w", text):
        yield "--chat has a mention"


def _values(arguments: Iterable[str], option: str) -> list[str]:
    words = list(arguments)
    return [words[place + 1] for place, word in enumerate(words[:-1]) if word == option]


def _report_faults(folder: Path) -> Iterator[str]:
    """Yield the faults of the folder of a report, or of one that has a verdict only."""
    try:
        verdict = _strict_json((folder / "verdict.json").read_bytes())
        for error in list(_verdict_schema().iter_errors(verdict))[:1]:
            yield f"verdict.json does not fit its schema: {error.json_path} {error.message[:60]}"
        if not (folder / "summary.json").exists():
            return
        for name, file in _strict_json((folder / "summary.json").read_bytes())["files"].items():
            if hashlib.sha256((folder / name).read_bytes()).hexdigest() != file["sha256"]:
                yield f"{name} is not what summary.json lists"
        for page in sorted(folder.glob("*.html")):
            content = page.read_bytes()
            content.decode()
            yield from (f"markup in {page.name}: {word.decode()}" for word in MARKUP if word in content)
        for text in sorted(folder.glob("*.md")):
            text.read_bytes().decode()
    except (OSError, ValueError, KeyError) as error:
        yield f"folder of a report: {type(error).__name__} {str(error)[-80:]}"


@cache
def _verdict_schema() -> Any:
    return jsonschema.Draft202012Validator(json.loads(_SCHEMA.read_bytes()))


def _strict_json(data: bytes) -> Any:
    def refuse(word: str) -> NoReturn:
        raise ValueError(f"{word} is no JSON")

    return json.loads(data, parse_constant=refuse)


def _json_faults(name: str, data: bytes) -> Iterator[str]:
    try:
        _strict_json(data)
    except ValueError as error:
        yield f"{name} is no JSON: {error}"


def _xml_faults(data: bytes) -> Iterator[str]:
    try:
        ET.fromstring(data)  # noqa: S314 - our own file
    except ET.ParseError as error:
        yield f"--junit is no XML: {error}"


def _metrics_faults(data: bytes) -> Iterator[str]:
    if not data.endswith(b"# EOF\n"):
        yield "--openmetrics has no EOF"


def _comment_faults(data: bytes) -> Iterator[str]:
    if len(data.decode()) > _COMMENT_LIMIT:
        yield "--comment is too long"
