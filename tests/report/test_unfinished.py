"""A folder whose report is half written is called that, whichever command reads it."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import call, small_model, write_report
from interruption import Killed, die, stopped_at

from tfprof_report.report.unfinished import why_half_written

WORDS = (
    "is half written: the run that writes this report was killed, or is still running; "
    "write the report to the same folder again, which cleans up"
)


def killed(*arguments: object, step: int) -> None:
    with stopped_at(step, die, for_good=True, first="rename"), pytest.raises(Killed):
        call(*arguments)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return small_model(tmp_path / "model")


@pytest.mark.thorough
@pytest.mark.parametrize("step", [5, 20])
def test_a_report_that_was_killed_while_it_was_replaced_is_called_half_written(
    tmp_path: Path, model: Path, step: int
) -> None:
    out = write_report(model, tmp_path / "out")
    killed("report", model, "--out", out, step=step)
    code = {"report": 3, "diff": 4, "save": 3, "accept": 3}
    commands = {
        "report": ["report", out, "--out", tmp_path / "x"],
        "diff": ["diff", out, model, "--out", tmp_path / "x"],
        "save": ["baseline", "save", tmp_path / "store", out, "--commit", "c0ffee", "--model", "m"],
        "accept": ["accept", out, "--reason", "x", "--expires", "2027-01-31"],
    }
    for name, arguments in commands.items():
        outcome = call(*arguments)
        assert (outcome.code, WORDS in outcome.error) == (code[name], True), outcome
        assert outcome.error.startswith(str(out))
    assert call("report", model, "--baseline", out, "--out", out).code == 0  # cleans up first
    assert not why_half_written(str(out))
    assert not list(out.glob(".*"))


@pytest.mark.thorough
def test_a_report_of_several_models_and_each_of_them_are_called_half_written(tmp_path: Path, model: Path) -> None:
    out = tmp_path / "out"
    several = ["report", "--model", f"a={model}", "--model", f"b={model}", "--out", out]
    assert call(*several).code == 0
    killed(*several, step=30)
    for arguments in (["report", "--model", f"a={model}", "--baseline", out], ["diff", out / "b", model]):
        outcome = call(*arguments, "--out", tmp_path / "x")
        assert (outcome.code, WORDS in outcome.error) == (4, True), outcome
    assert call(*several, "--baseline", out).code == 0


def test_a_finished_report_is_read_although_what_is_beside_it_was_not_removed(tmp_path: Path, model: Path) -> None:
    out = write_report(model, tmp_path / "out")
    (out / ".tfprof-report.unfinished").mkdir()
    assert call("report", out, "--out", tmp_path / "x").code == 0


def test_a_folder_without_a_report_is_not_called_half_written(tmp_path: Path, model: Path) -> None:
    (tmp_path / ".tfprof-report.unfinished" / "new" / "out").mkdir(parents=True)
    assert not why_half_written(str(model))
    assert not why_half_written(str(tmp_path / "nosuch"))
    assert why_half_written(str(tmp_path / "out"))
