"""Runs the programs and commands of docs/tutorial.md in their order, and compares what they print with the page.

A block of ``python`` or ``toml`` whose first line is a comment with a file name is that file. A block of ``diff``
changes the last program. A block of ``sh`` is run; the block of ``text`` after it is what it prints to standard output,
where ``...`` stands for anything. All other blocks are for readers.
"""

from __future__ import annotations

import difflib
import doctest
import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

PAGE = Path(__file__).resolve().parent.parent / "docs" / "tutorial.md"
_FENCE = re.compile(r"^(`{3,})(\w*)\n(.*?)^\1\n", re.DOTALL | re.MULTILINE)
_FILE = re.compile(r"# ([\w.-]+\.(?:py|toml))\n")


class Block(NamedTuple):
    """A block of code of a page, with the language after its fence."""

    language: str
    text: str


def blocks_of(page: str) -> list[Block]:
    """Return the blocks of code of a page in their order."""
    return [Block(language, text) for _, language, text in _FENCE.findall(page)]


def run_page(page: str, folder: Path, environment: Mapping[str, str]) -> list[str]:
    """Run a page in an empty folder with `python` and `tfprof-report` on PATH; return the lines that differ from it."""
    blocks = blocks_of(page)
    program: Path | None = None
    for at, block in enumerate(blocks):
        named = _FILE.match(block.text)
        if named and block.language in {"python", "toml"}:
            path = folder / named[1]
            path.write_text(block.text[named.end() :], encoding="utf-8")
            program = path if block.language == "python" else program
        elif block.language == "diff" and program:
            program.write_text(_changed(program.read_text("utf-8"), block.text), encoding="utf-8")
        elif block.language == "sh":
            wanted = blocks[at + 1].text if at + 1 < len(blocks) and blocks[at + 1].language == "text" else None
            if problems := _run(block.text, wanted, folder, environment):
                return problems
    return []


def _changed(program: str, diff: str) -> str:
    """Return a program with the lines that a diff takes away replaced by those that it adds."""
    old, new = ("".join(f"{line[1:]}\n" for line in diff.splitlines() if line.startswith(sign)) for sign in "-+")
    if program.count(old) != 1:
        message = f"the program does not have these lines once: {old}"
        raise ValueError(message)
    return program.replace(old, new)


def _run(commands: str, wanted: str | None, folder: Path, environment: Mapping[str, str]) -> list[str]:
    """Run commands; return how their output differs, or why they failed where the page shows no output."""
    done = subprocess.run(
        ["bash", "-c", commands],
        cwd=folder,
        env={**os.environ, **environment},
        check=False,
        capture_output=True,
        text=True,
    )
    if wanted is None:
        return [f"exit code {done.returncode}: {commands}", *done.stderr.splitlines()[-5:]] if done.returncode else []
    printed = done.stdout.replace("\N{NO-BREAK SPACE}", " ")  # Markdown keeps a number and its unit on one line
    if doctest.OutputChecker().check_output(wanted, printed, doctest.ELLIPSIS):
        return []
    lines = difflib.unified_diff(wanted.splitlines(), printed.splitlines(), "page", "output", n=0, lineterm="")
    return [f"another output: {commands}", *lines, *done.stderr.splitlines()[-5:]]
