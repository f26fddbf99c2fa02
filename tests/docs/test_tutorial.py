"""docs/tutorial.md: its programs and commands run in the order of the page, and print what it shows."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

import pytest
from tutorial import PAGE, blocks_of, run_page

PATH = {"PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])}


@pytest.mark.thorough
@pytest.mark.skipif(importlib.util.find_spec("tensorflow") is None, reason="needs TensorFlow; make conformance has it")
def test_the_tutorial_runs_and_prints_what_the_page_shows(tmp_path: Path) -> None:
    assert run_page(PAGE.read_text("utf-8"), tmp_path, PATH) == []


def test_the_page_has_a_program_of_few_lines_and_shows_what_commands_print() -> None:
    blocks = blocks_of(PAGE.read_text("utf-8"))
    assert [block.language for block in blocks if block.language not in {"sh", "text"}] == [
        "",
        "python",
        "diff",
        "toml",
    ]
    (program,) = (block.text for block in blocks if block.language == "python")
    lines = [line for line in program.splitlines() if line and not line.startswith(("#", "import"))]
    assert len(lines) <= 15
    assert sum(block.language == "text" for block in blocks) >= 8


def test_another_output_and_a_command_that_fails_are_found(tmp_path: Path) -> None:
    program = "```python\n# a.py\nprint(1)\n```\n```diff\n-print(1)\n+print(2)\n```\n"
    page = program + "```sh\npython a.py\n```\n```text\n{}\n```\n"
    assert run_page(page.format("2"), tmp_path, PATH) == []
    assert run_page(page.format("..."), tmp_path, PATH) == []
    assert run_page(page.format("1"), tmp_path, PATH)[-2:] == ["-1", "+2"]
    assert run_page("```sh\necho no >&2; exit 3\n```\n", tmp_path, PATH) == ["exit code 3: echo no >&2; exit 3\n", "no"]
