"""`make package` compares the reports that it makes, and ends at the first command that fails."""

from __future__ import annotations

import sys

import package
import pytest


def test_a_file_that_is_missing_or_differs_is_named_with_both_environments() -> None:
    reports = {"old": {"a": "1", "b": "2"}, "new": {"a": "1", "b": "3"}, "newer": {"a": "1"}}
    assert package.differences(reports) == [
        "b: differs between old and new",
        "b: differs between old and newer",
    ]
    assert package.differences({"old": reports["old"], "new": reports["old"]}) == []


def test_a_command_that_fails_ends_with_its_errors() -> None:
    with pytest.raises(SystemExit, match=r"exit code 3\nwhy"):
        package._run(sys.executable, "-c", "import sys; sys.stderr.write('why'); sys.exit(3)")
