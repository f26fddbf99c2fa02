"""A store returns reports as they were saved, even if other jobs save, prune or die at the same time."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import time
from contextlib import ExitStack, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from repository import ROOT

from tfprof_report.errors import OptionError
from tfprof_report.report.store.place import Place, open_place
from tfprof_report.report.store.store import (
    DamagedError,
    Entry,
    UnseenError,
    commit_to_save,
    entries_of,
    fetch,
    held_of,
    models_in,
    remove,
    save,
)

NOW = datetime(2024, 5, 2, 8, 30, tzinfo=UTC)
COMMIT = "0123456789abcdef0123456789abcdef01234567"


def report(text: str = "x") -> dict[str, bytes]:
    """Return files that look like a report to the store."""
    files = {"nodes.parquet": text.encode() * 1000, "report.html": b"<html>"}
    listed = {name: {"sha256": hashlib.sha256(data).hexdigest()} for name, data in files.items()}
    return {**files, "summary.json": json.dumps({"files": listed}).encode()}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return open_place(str(tmp_path / "store"))


def put(place: Place, text: str = "x", *, model: str = "enc", commit: str = COMMIT, now: datetime = NOW) -> Entry:
    return save(place, report(text), model=model, commit=commit, now=now)[0]


def test_a_report_lies_under_its_model_commit_time_and_digest(tmp_path: Path, place: Place) -> None:
    entry = put(place)
    digest = hashlib.sha256(report()["summary.json"]).hexdigest()[:16]
    assert entry.path == f"enc/{COMMIT}_20240502T083000Z_{digest}"
    folder = tmp_path / "store" / entry.path
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == report()
    assert fetch(place, entry) == report()
    assert list(fetch(place, entry))[-1] == "summary.json"


def test_a_name_of_a_commit_may_hold_what_stands_between_the_parts(place: Place) -> None:
    put(place, commit="r_1_20240502T083000Z")
    assert [entry.commit for entry in entries_of(place, "enc")] == ["r_1_20240502T083000Z"]


def test_the_newest_save_of_a_commit_wins_whatever_its_clock_says(place: Place) -> None:
    put(place, "first")
    second = put(place, "second", now=NOW - timedelta(hours=1))
    third = put(place, "third", now=NOW - timedelta(hours=2))
    assert entries_of(place, "enc")[:2] == [third, second]
    assert (second.saved, third.saved) == (NOW + timedelta(seconds=1), NOW + timedelta(seconds=2))
    assert put(place, "other", commit="f" * 40, now=NOW - timedelta(hours=3)).saved == NOW - timedelta(hours=3)


def test_the_same_report_is_saved_once_unless_another_came_between_or_it_was_damaged(
    tmp_path: Path, place: Place
) -> None:
    entry = put(place)
    assert save(place, report(), model="enc", commit=COMMIT, now=NOW + timedelta(days=1)) == (entry, False)
    (tmp_path / "store" / entry.path / "report.html").unlink()
    assert save(place, report(), model="enc", commit=COMMIT, now=NOW + timedelta(days=1)) == (entry, True)
    assert fetch(place, entry) == report()
    put(place, "other", now=NOW + timedelta(days=2))
    last = put(place, now=NOW + timedelta(days=3))
    assert last != entry
    assert entries_of(place, "enc")[0] == last


def test_two_models_in_a_store_do_not_see_each_other(place: Place) -> None:
    one, two = put(place, model="enc"), put(place, model="enc.2")
    assert models_in(place) == ["enc", "enc.2"]
    assert (entries_of(place, "enc"), entries_of(place, "enc.2")) == ([one], [two])
    with pytest.raises(OptionError, match="the store has enc, which differs in case only"):
        put(place, model="Enc")


def test_what_others_put_into_a_store_is_left_aside(tmp_path: Path, place: Place) -> None:
    entry = put(place)
    for name in ("README", "enc/README", f"enc/{COMMIT}_20249902T083000Z_0123456789abcdef/summary.json", ".git/HEAD"):
        file = tmp_path / "store" / name
        file.parent.mkdir(exist_ok=True)
        file.touch()
    assert models_in(place) == ["enc"]
    assert entries_of(place, "enc") == [entry]
    assert [each.entry for each in held_of(place, "enc")] == [entry]


def test_an_entry_without_its_summary_is_not_whole(tmp_path: Path, place: Place) -> None:
    entry = put(place)
    size = sum(map(len, report().values()))
    (whole,) = held_of(place, "enc")
    assert (whole.is_whole, whole.files, whole.size_bytes) == (True, 3, size)
    (tmp_path / "store" / entry.path / "summary.json").unlink()
    (part,) = held_of(place, "enc")
    assert (part.is_whole, part.files) == (False, 2)
    with pytest.raises(UnseenError, match=r"summary.json is missing"):
        fetch(place, entry)


def test_a_changed_file_is_noticed(tmp_path: Path, place: Place) -> None:
    entry = put(place)
    for name, words in (("nodes.parquet", "nodes.parquet is not the file"), ("summary.json", "not the one that was")):
        (tmp_path / "store" / entry.path / name).write_bytes(b"{}")
        with pytest.raises(DamagedError, match=words):
            fetch(place, entry)


@pytest.mark.parametrize("name", ["../../x", "/x", "a/b", "a\\b", "summary.json", "", ".x", "x\n"])
def test_a_store_cannot_make_a_copy_write_elsewhere(place: Place, name: str) -> None:
    summary = json.dumps({"files": {name: {"sha256": hashlib.sha256(b"x").hexdigest()}}}).encode()
    entry = save(place, {"summary.json": summary}, model="enc", commit=COMMIT, now=NOW)[0]
    with pytest.raises(DamagedError, match=r"summary.json lists '"):
        fetch(place, entry)


@pytest.mark.parametrize("summary", [b"", b"[]", b"{}", b'{"files": [1]}', b'{"files": {"x": 1}}', b"[" * 100_000])
def test_a_summary_that_is_none_is_damaged(place: Place, summary: bytes) -> None:
    entry = save(place, {"summary.json": summary}, model="enc", commit=COMMIT, now=NOW)[0]
    with pytest.raises(DamagedError, match="lists no files"):
        fetch(place, entry)


def test_removing_what_is_gone_is_no_error_and_others_stay(place: Place) -> None:
    one, two = put(place), put(place, "y", commit="f" * 40)
    for _ in range(2):
        remove(place, one)
    assert entries_of(place, "enc") == [two]
    assert fetch(place, two) == report("y")


@pytest.mark.parametrize(
    ("given", "own", "commit"),
    [(None, COMMIT, COMMIT), (COMMIT, None, COMMIT), (COMMIT, COMMIT[:8], COMMIT), ("r1.2-x_3", None, "r1.2-x_3")],
)
def test_a_report_is_of_its_own_commit_or_of_the_one_given(given: str | None, own: str | None, commit: str) -> None:
    assert commit_to_save(given, own) == commit


@pytest.mark.parametrize(
    ("given", "own", "words"),
    [
        (None, None, "the report names no commit"),
        ("", None, "the report names no commit"),
        (COMMIT[:8], COMMIT, "the report is of commit 0123"),
        ("../../etc", None, "is not a commit"),
        ("a/b", None, "is not a commit"),
        (None, ".hidden", "is not a commit"),
        ("a" * 101, None, "is not a commit"),
        ("\N{LATIN SMALL LETTER E WITH ACUTE}", None, "is not a commit"),
        ("a\nb", None, "is not a commit"),
    ],
)
def test_a_commit_that_cannot_be_a_folder_is_one_line(given: str | None, own: str | None, words: str) -> None:
    with pytest.raises(OptionError, match=words) as problem:
        commit_to_save(given, own)
    assert "\n" not in str(problem.value)


_SAVER = """
import sys
from datetime import UTC, datetime
sys.path[:0] = [{helpers!r}, {here!r}]
from test_store import NOW, put, report
from tfprof_report.report.store.place import open_place
place = open_place(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
for at in range(int(sys.argv[3])):
    put(place, sys.argv[2], now=NOW)
    put(place, f"{{sys.argv[2]}}{{at}}", commit=f"{{at:040x}}", now=NOW)
"""


def start_saver(tmp_path: Path, text: str, times: int) -> subprocess.Popen[bytes]:
    here = Path(__file__).parent
    script = _SAVER.format(helpers=str(ROOT / "tests" / "helpers"), here=str(here))
    process = subprocess.Popen(
        [sys.executable, "-c", script, tmp_path / "store", text, str(times)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    return process


def let_go(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    process.stdin.write(b"\n")
    process.stdin.flush()


@pytest.mark.thorough
def test_saves_at_the_same_time_do_not_mix_and_a_reader_sees_whole_reports_only(tmp_path: Path, place: Place) -> None:
    seen = 0
    with ExitStack() as stack:
        savers = [stack.enter_context(start_saver(tmp_path, text, 20)) for text in ("a", "a", "b")]
        for process in savers:
            let_go(process)
        while any(process.poll() is None for process in savers):
            for each in held_of(place, "enc"):
                if each.is_whole:
                    fetch(place, each.entry)  # whatever is wrong with it fails the test
                    seen += 1
        assert [process.wait() for process in savers] == [0, 0, 0]
    assert seen
    held = held_of(place, "enc")
    assert all(each.is_whole and each.files == 3 for each in held)
    texts = {fetch(place, each.entry)["nodes.parquet"][:1] for each in held if each.entry.commit == COMMIT}
    assert texts == {b"a", b"b"}
    assert {each.entry.commit for each in held} == {COMMIT, *(f"{at:040x}" for at in range(20))}


@pytest.mark.skipif(sys.platform == "win32", reason="kills a process")
def test_what_is_pruned_while_it_is_read_is_read_whole_or_not_at_all(tmp_path: Path, place: Place) -> None:
    read = gone = 0
    with start_saver(tmp_path, "a", 40) as saver:
        let_go(saver)
        while saver.poll() is None:
            for each in held_of(place, "enc"):
                with suppress(DamagedError):
                    read += fetch(place, each.entry)["report.html"] == b"<html>"
                if each.is_whole and each.entry.commit != COMMIT:  # prune does not touch a running save
                    remove(place, each.entry)
                    gone += 1
        assert saver.wait() == 0
    assert read
    assert gone
    assert fetch(place, next(entry for entry in entries_of(place, "enc") if entry.commit == COMMIT)) == report("a")


def test_a_save_that_is_killed_leaves_nothing_that_is_seen(tmp_path: Path, place: Place) -> None:
    whole = put(place, "before", commit="f" * 40)
    store = tmp_path / "store" / "enc"
    with start_saver(tmp_path, "z" * 100_000, 10**6) as saver:  # 100 MB per report, so it is killed in one
        let_go(saver)
        while len(list(store.glob("*/*"))) <= len(report()):
            time.sleep(0.001)
        saver.kill()
    held = held_of(place, "enc")
    assert [each.entry for each in held if each.is_whole] == [whole]
    assert len(held) == 2
    (tmp_path / "store" / "enc" / f"{COMMIT}_20240502T083000Z_{'0' * 16}").mkdir()  # killed before the first file
    assert [each.files for each in held_of(place, "enc") if not each.is_whole][-1] == 0
    after = put(place, "after")
    assert fetch(place, after) == report("after")
