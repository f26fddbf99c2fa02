"""Messages are one line, and no name in them is taken for a command by a CI runner."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfprof_report.errors import log_line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("fc/MatMul [a] #1 ##", "fc/MatMul [a] #1 ##"),
        ("a\nb\x1b\u202e", "a\\nb\\x1b\\u202e"),
        ("x ##vso[task.setvariable variable=a]b", "x ##vso\\x5btask.setvariable variable=a]b"),
        ("##[error]a ##[add-mask]b", "##\\x5berror]a ##\\x5badd-mask]b"),
        ("##VSO[x]\n", "##VSO\\x5bx]\\n"),
    ],
)
def test_what_breaks_a_line_or_commands_a_runner_is_escaped(text: str, line: str) -> None:
    assert log_line(text) == line


@given(st.text(st.sampled_from("#vso[]\n:a"), max_size=30))
def test_no_text_holds_a_command(text: str) -> None:
    line = log_line(text)
    assert line.isprintable()
    assert "##[" not in line
    assert "##vso[" not in line
