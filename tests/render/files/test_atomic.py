"""Single files are written whole or not at all, with what is written next to them."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import count
from pathlib import Path

import pytest
from command import call, contents, small_model
from interruption import Killed, die, fail, signals_end, stopped_at

from tfprof_report.errors import OutputError
from tfprof_report.render.files.atomic import write_files, write_output

OLD = {"out": b"old", "out.meta.json": b"old about", "mine": b"mine"}
NEW = {**OLD, "out": b"new", "out.meta.json": b"new about"}


def write(folder: Path) -> None:
    write_output(str(folder / "out"), [b"n", b"ew"], b"new about")


@pytest.mark.parametrize("old", [OLD, {"mine": b"mine"}])
@pytest.mark.parametrize(
    ("act", "ends", "for_good"),
    [
        (fail, OutputError, False),
        (fail, OutputError, True),
        (die, Killed, True),
        *((partial(signal.raise_signal, each), SystemExit, False) for each in (signal.SIGTERM, signal.SIGHUP)),
        (partial(signal.raise_signal, signal.SIGINT), KeyboardInterrupt, False),
    ],
)
def test_whatever_happens_at_any_change_of_the_folder_both_files_are_written_or_none(
    tmp_path: Path, old: dict[str, bytes], act: Callable[[], None], ends: type[BaseException], *, for_good: bool
) -> None:
    is_new = []
    for step in count():
        for path in tmp_path.iterdir():
            path.unlink()
        for name, data in old.items():
            (tmp_path / name).write_bytes(data)
        with signals_end(), stopped_at(step, act, for_good=for_good) as seen, suppress(ends):
            write(tmp_path)
        is_ended = step not in seen
        if ends in (OutputError, Killed):  # the next run cleans up
            with pytest.raises(ZeroDivisionError):
                write_files(str(tmp_path / "out"), {"": (bytes(1 // number) for number in (0,))}, option="--output")
        assert contents(tmp_path) in (old, NEW)
        is_new.append(contents(tmp_path) == NEW)
        if is_ended:
            break
    assert is_new.count(False) > len(old)
    assert is_new[-1]


def test_a_folder_in_the_way_of_the_second_file_leaves_the_first(tmp_path: Path) -> None:
    (tmp_path / "out").write_bytes(b"old")
    (tmp_path / "out.meta.json").mkdir()
    with pytest.raises(OutputError, match=r"/out \(--output\): cannot be written \(Is a directory\)"):
        write(tmp_path)
    assert (tmp_path / "out").read_bytes() == b"old"
    assert len(list(tmp_path.iterdir())) == 2


def test_a_second_writer_of_the_file_is_refused_and_others_of_the_folder_are_not(tmp_path: Path) -> None:
    def slow() -> Iterator[bytes]:
        with pytest.raises(OutputError, match=r"/out \(--output\): cannot be written \(another run is writing it\)"):
            write(tmp_path)
        write_output(str(tmp_path / "other"), [b"other"], b"")
        yield b"first"

    write_files(str(tmp_path / "out"), {"": slow()}, option="--output")
    assert contents(tmp_path) == {"out": b"first", "other": b"other", "other.meta.json": b""}


def test_names_may_be_as_long_as_the_system_allows(tmp_path: Path) -> None:
    write_files(str(tmp_path / ("n" * 255)), {"": [b"x"]}, option="--comment")
    assert contents(tmp_path) == {"n" * 255: b"x"}


def test_a_recipe_that_cannot_be_written_leaves_nothing_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    (tmp_path / "tfprof-report.toml").mkdir()
    outcome = call("init", "--host", "jenkins", "--force")
    assert (outcome.code, "cannot be written (Is a directory)" in outcome.err) == (3, True)
    assert {path.name for path in tmp_path.iterdir()} == {".git", "tfprof-report.toml"}


def test_a_view_written_to_a_file_has_the_same_promise(tmp_path: Path) -> None:
    model, out = small_model(tmp_path / "m"), tmp_path / "o"
    out.mkdir()
    command = ["scope", model, "--output", f"file:outfile={out / 'view'}"]
    assert call(*command).code == 0
    before = contents(out)
    with signals_end(), stopped_at(3, partial(signal.raise_signal, signal.SIGTERM), first="rename"):
        assert call(*command, "--max_depth", "1").code == 143
    assert contents(out) == before
