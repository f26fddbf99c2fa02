"""A report folder is replaced as one, whatever happens while it is."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import count
from pathlib import Path

import pytest
from command import contents
from interruption import Killed, die, fail, in_forks, kill_self, signals_end, stopped_at

from tfprof_report.errors import OutputError
from tfprof_report.render.files.staging import Staging, clean_up
from tfprof_report.report.models import listed_models
from tfprof_report.report.unfinished import why_half_written

Files = dict[str, bytes]

NAMES = ("report.html", "verdict.json")
STATE = ".tfprof-report.unfinished"


def one(word: str, *more: str) -> Files:
    """Return the files of a report of one model, the summary last, with the digests of the others."""
    files = {name: f"{word} {name}".encode() for name in (*NAMES, *more)}
    digests = {name: {"sha256": hashlib.sha256(data).hexdigest()} for name, data in files.items()}
    return {**files, "summary.json": json.dumps({"files": digests}).encode()}


def several(word: str, *models: str) -> Files:
    """Return the files of a report of several models, as `one` does."""
    parts = {name: one(f"{word} {name}") for name in models}
    top = {name: f"{word} {name}".encode() for name in NAMES}
    listed = [
        {"name": name, "summary": {"sha256": hashlib.sha256(files["summary.json"]).hexdigest()}}
        for name, files in parts.items()
    ]
    return {
        **{f"{model}/{name}": data for model, files in parts.items() for name, data in files.items()},
        **top,
        "summary.json": json.dumps({"models": listed}).encode(),
    }


REPORTS: Mapping[str, Files] = {
    "nothing": {},
    "one": one("old", "diff_scope.parquet"),
    "several": several("old", "a", "b"),
    "another": one("new"),
    "others": several("new", "b", "c"),
}

CHANGES = [(before, after) for before in ("nothing", "one", "several") for after in ("another", "others")]


def write(folder: Path | str, files: Files) -> None:
    with Staging(str(folder)) as staging:
        for name, data in files.items():
            staging.add(staging.top / name, lambda data=data: data)  # type: ignore[misc]
        staging.commit()


def all_in(folder: Path) -> Files | None:
    """Return everything in a folder, folders as names with a slash; None if there is no folder."""
    if not folder.exists():
        return None
    return {
        f"{path.relative_to(folder)}{'/' * path.is_dir()}": b"" if path.is_dir() else path.read_bytes()
        for path in folder.rglob("*")
    }


def prepare(folder: Path, report: str, mine: Files | None = None) -> Files | None:
    """Make a folder with an earlier report and files of the user, and return what is in it."""
    if REPORTS[report]:
        write(folder, REPORTS[report])
    for name, data in (mine or {}).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return all_in(folder)


class Attempts:
    """Attempts to write the report `new` over the report `before`, each over a folder as it was before the first."""

    def __init__(self, tmp_path: Path, before: str, new: str, mine: Files | None = None) -> None:
        self.folder = tmp_path / "o"
        self.before, self.new, self.mine = before, new, mine or {}
        self.old = prepare(self.folder, before, mine)
        write(self.folder, REPORTS[new])
        self.expected = all_in(self.folder) or {}
        assert files_of(self.expected) == REPORTS[new] | self.mine

    def __iter__(self) -> Iterator[int]:
        """Count the attempts, without end."""
        for step in count():
            if all_in(self.folder) != self.old:
                shutil.rmtree(self.folder)
                prepare(self.folder, self.before, self.mine)
            yield step

    def write(self, folder: Path | str | None = None) -> None:
        write(folder or self.folder, REPORTS[self.new])


@pytest.mark.parametrize(("before", "new"), CHANGES)
def test_an_error_at_any_change_of_a_folder_leaves_the_earlier_report(tmp_path: Path, before: str, new: str) -> None:
    attempts = Attempts(tmp_path, before, new)
    is_refused = []
    for step in attempts:
        with stopped_at(step, fail) as seen:
            try:
                attempts.write()
            except OutputError as error:
                is_refused.append(True)
                assert str(error).startswith(str(attempts.folder))  # noqa: PT017
                assert "(--out): cannot be written (Input/output error); give a folder" in str(error)  # noqa: PT017
                assert STATE not in str(error)  # noqa: PT017
            else:
                is_refused.append(False)
        clean_up(str(attempts.folder))  # what the disk failed to remove
        if is_refused[-1]:
            assert (all_in(attempts.folder) or None) == attempts.old  # or an empty folder could not go
        else:
            empty = dict.fromkeys(("a/", "b/"), b"")  # which may have failed to go
            assert (all_in(attempts.folder) or {}) | empty == attempts.expected | empty
        if step not in seen:
            break
    assert sum(is_refused) > len(REPORTS[new])
    assert not is_refused[-1]


@pytest.mark.parametrize(
    ("before", "new", "number"),
    [
        *((*change, signal.SIGTERM) for change in CHANGES),
        ("one", "another", signal.SIGINT),
        ("one", "another", signal.SIGHUP),
    ],
)
def test_a_signal_at_any_change_of_a_folder_leaves_a_whole_report_and_nothing_else(
    tmp_path: Path, before: str, new: str, number: signal.Signals
) -> None:
    attempts = Attempts(tmp_path, before, new)
    found = []
    for step in attempts:
        with signals_end(), stopped_at(step, partial(signal.raise_signal, number)) as seen:
            try:
                attempts.write()
            except SystemExit as end:
                assert end.code == 128 + number  # noqa: PT017
            except KeyboardInterrupt:
                assert number == signal.SIGINT
            else:
                assert step not in seen
                break
        found.append(all_in(attempts.folder))
        assert found[-1] in (attempts.old, attempts.expected)
    assert found.index(attempts.expected) > len(REPORTS[new])  # the earlier report until then, the new one from then on
    assert all(each == attempts.expected for each in found[found.index(attempts.expected) :])


@pytest.mark.parametrize(("before", "new"), CHANGES)
def test_after_a_kill_at_any_change_of_a_folder_the_next_run_cleans_up(tmp_path: Path, before: str, new: str) -> None:
    attempts = Attempts(tmp_path, before, new)
    found = []
    for step in attempts:
        with stopped_at(step, die, for_good=True):
            try:
                attempts.write()
            except Killed:
                pass
            else:
                break
        assert why_half_written(str(attempts.folder)) or is_whole(attempts.folder)
        clean_up(str(attempts.folder))
        found.append(all_in(attempts.folder))
        assert found[-1] in (attempts.old, attempts.expected, {})
    assert found.index(attempts.expected) > len(REPORTS[new])


@pytest.mark.parametrize("step", range(3, 20, 4))
def test_a_process_that_is_killed_leaves_no_lock(tmp_path: Path, step: int) -> None:
    def killed() -> None:
        with stopped_at(step, kill_self):
            write(tmp_path, REPORTS["another"])

    prepare(tmp_path, "one")
    assert in_forks(killed) == [-signal.SIGKILL]
    assert (tmp_path / STATE / "lock").exists()
    write(tmp_path, REPORTS["another"])
    assert all_in(tmp_path) == REPORTS["another"]


def files_of(found: Files) -> Files:
    return {name: data for name, data in found.items() if not name.endswith("/")}


def is_whole(folder: Path) -> bool:
    """Return whether the files of a folder, if it has any, are those that its summary lists."""
    if not (folder / "summary.json").exists():
        return not any(folder.glob("*.html"))
    summary = json.loads((folder / "summary.json").read_bytes())
    if "models" in summary:
        return len(listed_models(str(folder))) == len(summary["models"])
    return all(
        hashlib.sha256((folder / name).read_bytes()).hexdigest() == entry["sha256"]
        for name, entry in summary["files"].items()
    )


def test_a_disk_that_stays_broken_is_said_and_the_next_run_puts_the_earlier_report_back(tmp_path: Path) -> None:
    attempts = Attempts(tmp_path, "one", "another")
    said = set()
    for step in attempts:
        with stopped_at(step, fail, for_good=True):
            try:
                attempts.write()
            except OutputError as error:
                said.add(str(error).partition(": ")[2])
            else:
                break
        clean_up(str(attempts.folder))
        assert all_in(attempts.folder) == attempts.old
    assert step > len(REPORTS["another"])
    assert said == {
        "cannot be written (Input/output error); give a folder that can be written",
        "the earlier report cannot be put back (Input/output error); write the report again, which puts it back first",
    }


MINE = {"notes.txt": b"mine", "b/notes.txt": b"mine too", "diff_mine.parquet": b"also mine"}


@pytest.mark.parametrize("kind", ["current folder", "link"])
@pytest.mark.parametrize(("before", "new"), [("nothing", "another"), ("several", "others")])
def test_any_folder_keeps_the_files_of_the_user_and_has_the_same_promise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, before: str, new: str
) -> None:
    attempts = Attempts(tmp_path, before, new, MINE)
    link = tmp_path / "link"
    link.symlink_to(attempts.folder)
    for step in attempts:
        if kind == "current folder":
            monkeypatch.chdir(attempts.folder)
        folder = "." if kind == "current folder" else link
        with signals_end(), stopped_at(step, partial(signal.raise_signal, signal.SIGTERM)):
            try:
                attempts.write(folder)
            except SystemExit:
                assert all_in(attempts.folder) in (attempts.old, attempts.expected)
            else:
                assert all_in(attempts.folder) == attempts.expected
                break
    assert step > len(REPORTS[new])


def test_a_folder_in_the_way_of_a_file_is_named_and_nothing_changes(tmp_path: Path) -> None:
    old = prepare(tmp_path / "o", "several", {"c/report.html/notes.txt": b"mine"})
    with pytest.raises(OutputError, match=r"/o/c/report.html \(--out\): cannot be written \(Is a directory\)"):
        write(tmp_path / "o", REPORTS["others"])
    assert all_in(tmp_path / "o") == old


def test_a_folder_of_the_user_with_the_name_of_a_file_not_written_stays(tmp_path: Path) -> None:
    (tmp_path / "steps.parquet").mkdir()
    write(tmp_path, REPORTS["another"])
    assert all_in(tmp_path) == REPORTS["another"] | {"steps.parquet/": b""}


def test_of_two_runs_at_the_same_time_the_second_is_refused(tmp_path: Path) -> None:
    with Staging(str(tmp_path / "o")) as first:
        first.add(first.top / "verdict.json", lambda: b"first")
        for _ in range(2):
            with pytest.raises(OutputError, match=r"/o \(--out\): another run is writing a report there; wait until"):
                write(tmp_path / "o", REPORTS["another"])
            with pytest.raises(OutputError, match="another run is writing"):
                clean_up(str(tmp_path / "o"))
        first.commit()
        write(tmp_path / "o", REPORTS["another"])  # the first has ended
    assert contents(tmp_path / "o") == REPORTS["another"]


@pytest.mark.parametrize("before", ["nothing", "one"])
def test_a_run_is_refused_once_another_has_written_since_it_started(tmp_path: Path, before: str) -> None:
    prepare(tmp_path / "o", before)
    with Staging(str(tmp_path / "o")) as slow:
        write(tmp_path / "o", REPORTS["others"])
        slow.add(slow.top / "verdict.json", lambda: b"slow")
        with pytest.raises(OutputError, match=r"/o \(--out\): another run has written a report there since this one"):
            slow.commit()
    assert {name: data for name, data in (all_in(tmp_path / "o") or {}).items() if data} == REPORTS["others"]


def test_many_writers_at_once_leave_one_whole_report(tmp_path: Path) -> None:
    def run() -> None:
        for turn in range(20):
            try:
                write(tmp_path / "o", one(f"{os.getpid()} {turn}"))
            except OutputError as error:
                assert "another run" in str(error)  # noqa: PT017

    assert in_forks(run, run) == [0, 0]
    assert is_whole(tmp_path / "o")
    assert contents(tmp_path / "o").keys() == REPORTS["another"].keys()


@pytest.mark.parametrize(
    "paths", ["../mine", "/etc/passwd", "a/../mine", "a/b/report.md", ".git/report.md", "report.md/"]
)
@pytest.mark.parametrize("key", ["old", "new", "made", "emptied"])
def test_a_journal_that_names_what_is_not_ours_is_refused(tmp_path: Path, paths: str, key: str) -> None:
    state = tmp_path / "o" / STATE
    state.mkdir(parents=True)
    (tmp_path / "mine").write_bytes(b"mine")
    journal: dict[str, list[str]] = {"old": [], "new": [], "made": [], "emptied": []}
    (state / "journal").write_text(json.dumps(journal | {key: [paths]}))
    with pytest.raises(OutputError, match=r"/journal \(--out\): an earlier run that was killed left what this version"):
        write(tmp_path / "o", REPORTS["another"])
    assert (tmp_path / "mine").exists()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"old": 1}', '{"old": [], "new": [], "made": [], "emptied": 1}'])
def test_a_damaged_journal_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / STATE).mkdir()
    (tmp_path / STATE / "journal").write_text(text)
    with pytest.raises(OutputError, match=r"remove .tfprof-report.unfinished and what is left of the report"):
        clean_up(str(tmp_path))


def test_a_state_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere" / "new").mkdir(parents=True)
    (tmp_path / "o").mkdir()
    (tmp_path / "o" / STATE).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OutputError, match=r"/o \(--out\): cannot be written \(Not a directory\)"):
        write(tmp_path / "o", REPORTS["another"])
    assert (tmp_path / "elsewhere" / "new").is_dir()


def test_files_have_the_permissions_that_the_umask_leaves(tmp_path: Path) -> None:
    earlier = os.umask(0o027)
    try:
        write(tmp_path / "o", REPORTS["others"])
    finally:
        os.umask(earlier)
    assert {path.stat().st_mode & 0o777 for path in (tmp_path / "o").rglob("*") if path.is_file()} == {0o640}
    assert (tmp_path / "o" / "b").stat().st_mode & 0o777 == 0o750
