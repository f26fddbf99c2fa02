"""The magic ``%%tfprof``, in an IPython shell without a terminal, with frameworks that are not there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import fake_frameworks
import pytest
from fake_frameworks import FakeTensorFlow, concrete_class, loaded, train_step
from IPython.core.interactiveshell import InteractiveShell
from repository import DATA

import tfprof_report as tr


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> Iterator[InteractiveShell]:
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)  # IPython would warn of that of another Python
    made = InteractiveShell()
    made.run_line_magic("load_ext", "tfprof_report")
    yield made
    made.history_manager = None
    InteractiveShell.clear_instance()


@pytest.fixture
def step(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Yield a train step of a TensorFlow that writes a real trace."""
    trace = min((DATA / "xplane").rglob("*.xplane.pb*"), key=lambda path: path.stat().st_size)
    monkeypatch.setattr(fake_frameworks, "TRACE", trace.read_bytes())
    kind = concrete_class()
    with loaded(tensorflow=FakeTensorFlow([]), functions=SimpleNamespace(ConcreteFunction=kind)):
        yield train_step(kind)


def test_a_cell_is_profiled_and_its_report_is_shown(
    shell: InteractiveShell, step: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shell.user_ns |= {"step": step}
    assert shell.run_cell("%%tfprof run\nanswer = 40 + 2\nstep()\n").success
    report = shell.user_ns["run"]
    assert isinstance(report, tr.ReportResult)
    assert shell.user_ns["answer"] == 42
    assert f"Out[0]: {report!r}" in capsys.readouterr().out.splitlines()
    assert report.nodes.set_index("name").loc["net/dense/kernel", "params"] == 7840
    assert report._repr_html_().count("<strong>cell</strong>") == 1
    report.write(tmp_path / "out")
    assert tr.load(tmp_path / "out").nodes.equals(report.nodes)


def test_a_cell_that_raises_gives_no_report(
    shell: InteractiveShell, step: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    shell.user_ns |= {"step": step, "run": "as before"}
    result = shell.run_cell("%%tfprof run\nstep()\n1 / 0\n")
    assert result.result is None
    assert shell.user_ns["run"] == "as before"
    assert "ZeroDivisionError" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("cell", "line"),
    [
        ("%%tfprof\n1\n", "neither TensorFlow nor JAX is imported; import one of them before capture"),
        ("%%tfprof a b\n1\n", '%%tfprof: "a b" is no name of a variable; write %%tfprof NAME'),
    ],
)
def test_an_error_is_one_line_without_a_traceback(
    shell: InteractiveShell, cell: str, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with loaded():
        assert not shell.run_cell(cell).success
    printed = capsys.readouterr()
    assert (printed.out + printed.err).strip() == f"UsageError: {line}"


def test_the_extension_can_be_taken_away(shell: InteractiveShell) -> None:
    shell.run_line_magic("unload_ext", "tfprof_report")
    assert "tfprof" not in shell.magics_manager.magics["cell"]
