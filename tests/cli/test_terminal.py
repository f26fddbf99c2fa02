"""A terminal gets no control characters of names; pipes and files get the bytes of the native tool."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Thread

import pytest
from command import call, call_into, write_model
from messages import entry, graph, node, op_log, ran, run_meta

from tfprof_report.errors import for_terminal

CONTROLS = [
    chr(code) for code in (*range(1, 32), 127, *range(128, 160), *range(0x202A, 0x202F), *range(0x2066, 0x206A))
]
NASTY = "".join(CONTROLS)
STEERING = re.compile("[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u202a-\\u202e\\u2066-\\u2069]")
DEVICE = "/job:localhost/replica:0/task:0/device:CPU:0"
COLUMNS = "micros,bytes,params,device,op_types,occurrence,input_shapes"


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """Return a model with control characters in names of nodes, op types, devices, log types and lines of code."""
    plain = [node(f"plain_{number}", "Add") for number in range(80)]  # a file of odd names only is taken for no graph
    nodes = graph(node(f"a{NASTY}b", f"Op{NASTY}", device=f"/d{NASTY}"), node("plain", "Add", f"a{NASTY}b"), *plain)
    ran_plain = [ran(each.name, micros=2000) for each in plain]
    run = run_meta({DEVICE: [ran(f"a{NASTY}b", micros=5000), *ran_plain]})
    log = op_log(entry(f"a{NASTY}b", types=[f"t{NASTY}"]), *(entry(each.name, types=["t"]) for each in plain))
    return write_model(tmp_path / "m", nodes, {1: run}, log)


def at_terminal(*arguments: object, stdin: str = "") -> tuple[str, int]:
    """Return what a command prints on standard output if that is a terminal, and its exit code."""
    ours, theirs = os.openpty()
    pieces: list[bytes] = []
    reader = Thread(target=lambda: pieces.extend(_until_closed(ours)))
    reader.start()  # a terminal takes a few KB until somebody reads them
    try:
        with open(theirs, "w", encoding="utf-8") as out, Path(os.devnull).open("w") as err:  # noqa: PTH123 (a descriptor)
            code = call_into(out, err, *arguments, stdin=stdin)
    finally:
        reader.join(timeout=10)
        os.close(ours)
    return b"".join(pieces).decode().replace("\r\n", "\n"), code


def _until_closed(terminal: int) -> Iterator[bytes]:
    with suppress(OSError):  # EIO, when the other end is closed
        while piece := os.read(terminal, 1 << 16):
            yield piece


@pytest.mark.parametrize(
    "command",
    [
        *([view, "--select", COLUMNS] for view in ("scope", "graph", "op")),
        ["scope", "--frame", "--semantics", "corrected"],
        ["scope", "--output", "stdout", "--hide-name-regexes", "no\x1b", "--frame"],
        ["advise", "--semantics", "corrected"],
    ],
    ids=" ".join,
)
def test_views_and_advice_at_a_terminal_have_no_control_characters(model: Path, command: list[str]) -> None:
    shown, code = at_terminal(command[0], model, *command[1:])
    assert (code, STEERING.findall(shown)) == (0, [])
    if command[0] in ("scope", "graph"):
        assert f"a{for_terminal(NASTY)}b (" in shown
        assert r"\x07" in shown
        assert r"\u202e" in shown


def test_a_name_with_a_newline_stays_on_its_row(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "m", graph(node("a\n  forged (1sec)", "Add\n", "b\tc"), node("b\tc", "Mul")))
    arguments = [folder / "graph.pb", "--select", "op_types"]
    shown = at_terminal("scope", *arguments)[0].split("Profile:\n")[1]
    assert shown == (
        "node name | op types\n_TFProfRoot (_kTFScopeParent)\n  a\\n  forged (1sec) (Add\\n)\n  b\\tc (Mul)\n"
    )
    rows = at_terminal("op", *arguments, "--select", "occurrence,input_shapes")[0].split("Profile:\n")[1]
    assert rows.splitlines()[1].startswith("Add\\n   ")


def test_pipes_and_files_have_the_bytes(model: Path, tmp_path: Path) -> None:
    piped = call("scope", model, "--select", COLUMNS).out
    assert f"a{NASTY}b (" in piped
    call("scope", model, "--select", COLUMNS, "--output", f"file:outfile={tmp_path / 'f'}")
    assert (tmp_path / "f").read_bytes().decode() == piped
    shown, code = at_terminal("scope", model, "--select", COLUMNS, "--output", f"file:outfile={tmp_path / 'g'}")
    assert (code, (tmp_path / "g").read_bytes()) == (0, (tmp_path / "f").read_bytes())
    assert STEERING.findall(shown) == []


def test_the_shell(model: Path) -> None:
    shown, code = at_terminal("shell", model, stdin="scope\nop -select op_types\n\nadvise\nzork\x1b[31m\n")
    assert (code, STEERING.findall(shown)) == (2, [])
    assert f"a{for_terminal(NASTY)}b (" in shown


def test_the_paths_of_a_report(model: Path, tmp_path: Path) -> None:
    shown, code = at_terminal("report", model, "--out", tmp_path / "o\x1b[31m")
    assert (code, STEERING.findall(shown), r"/o\x1b[31m/report.html" in shown) == (0, [], True)


def test_ordinary_text_is_shown_as_it_is(tmp_path: Path) -> None:
    name = "caf\u00e9/\u65e5\u672c \U0001f469\u200d\U0001f52c"
    folder = write_model(tmp_path / "m", graph(node(name, "Add")))
    assert f"{name} (" in at_terminal("scope", folder, "--max-depth", "9")[0]
