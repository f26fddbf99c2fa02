"""The commands of `baseline`: output and one-line errors, with a store on disk and on an S3 server."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from threading import Barrier
from unittest.mock import patch

import pytest
from command import WHEN, call, contents, small_model, spawn, write_report
from s3_server import s3_server, s3_url

from tfprof_report.buckets import connection, patience
from tfprof_report.report.folder import read_report_folder
from tfprof_report.report.store.place import open_place
from tfprof_report.report.store.store import save

A, B, C = ("a" * 40, "b" * 40, "c" * 40)
EPOCH = "1714638600"  # WHEN


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return reports of a model at two commits, one without a commit, and one of two models."""
    folder = tmp_path_factory.mktemp("reports")
    model, wide = small_model(folder / "m"), small_model(folder / "w", width=5)
    assert call("report", "--model", f"one={model}", "--model", f"two={wide}", "--out", folder / "all").code == 0
    return {
        "a": write_report(model, folder / "a", "--commit", A),
        "b": write_report(wide, folder / "b", "--commit", B),
        "none": write_report(model, folder / "none"),
        "all": folder / "all",
    }


@pytest.fixture(autouse=True)
def _fixed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", EPOCH)


@pytest.fixture
def store(tmp_path: Path, reports: dict[str, Path]) -> Path:
    """Return a store with the model enc at two commits."""
    for name in ("a", "b"):
        assert call("baseline", "save", tmp_path / "store", reports[name], "--model", "enc").code == 0
    return tmp_path / "store"


def ancestors(tmp_path: Path, *commits: str) -> Path:
    file = tmp_path / "ancestors.txt"
    file.write_text("".join(f"{commit}\n" for commit in commits))
    return file


def pick(store: object, file: Path, *more: object, model: str = "enc") -> tuple[int, str, str]:
    return call("baseline", "pick", store, "--model", model, "--ancestors", file, *more)


def snapshot(folder: Path) -> dict[Path, tuple[int, bytes]]:
    return {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in folder.rglob("*") if path.is_file()}


@pytest.mark.thorough
def test_a_report_that_was_saved_is_picked_by_its_nearest_ancestor(
    tmp_path: Path, store: Path, reports: dict[str, Path]
) -> None:
    before = snapshot(store)
    code, out, err = pick(store, ancestors(tmp_path, C, B, A))
    assert code == 0
    (line,) = out.splitlines()
    assert line.startswith(f"{store}/enc/{B}_20240502T083000Z_")
    assert contents(Path(line)) == contents(reports["b"])
    assert err == f"tfprof-report: enc: commit {B}, 1 commit back, saved {WHEN}\n"
    assert snapshot(store) == before
    assert pick(store, ancestors(tmp_path, A, B)).err.split(", ")[1] == "0 commits back"


def test_a_copy_replaces_an_earlier_one_and_reads_as_a_report(
    tmp_path: Path, store: Path, reports: dict[str, Path]
) -> None:
    out = tmp_path / "base"
    for name, commit in (("b", B), ("a", A)):
        assert pick(store, ancestors(tmp_path, commit), "--out", out)[:2] == (0, f"{out}\n")
        assert contents(out) == contents(reports[name])
    assert read_report_folder(str(out)).origin.commit == A


def test_where_nothing_is_found_an_earlier_copy_is_not_taken_for_it(tmp_path: Path, store: Path) -> None:
    out = tmp_path / "base"
    assert pick(store, ancestors(tmp_path, A), "--out", out)[0] == 0
    outcome = pick(store, ancestors(tmp_path, C), "--out", out)
    words = f"{store}: has 2 reports of the model enc, none is of the only commit in the list"
    assert (outcome[0], outcome[1]) == (4, "")
    assert outcome[2].startswith(f"tfprof-report: {words}; in a shallow clone")
    assert not out.exists()
    outcome = pick(store, ancestors(tmp_path, C), "--out", out, "--baseline-missing", "warn")
    assert outcome[:2] == (0, "")
    assert outcome[2].startswith(f"tfprof-report: warning: {words}")
    assert pick(store, ancestors(tmp_path, C), "--out", out, "--baseline-missing", "ok") == (0, "", "")
    assert pick(store, ancestors(tmp_path, C), "--json", "--baseline-missing", "ok") == (0, "null\n", "")
    (out / "mine").mkdir(parents=True)
    assert pick(store, ancestors(tmp_path, C), "--out", out, "--baseline-missing", "ok")[0] == 0
    assert [path.name for path in out.iterdir()] == ["mine"]


def test_a_first_run_has_no_store_and_says_so(tmp_path: Path) -> None:
    file = ancestors(tmp_path, A)
    assert pick(tmp_path / "nosuch", file)[0] == 4
    assert pick(tmp_path / "nosuch", file, "--baseline-missing", "warn") == (
        0,
        "",
        f"tfprof-report: warning: {tmp_path}/nosuch: holds no baseline of the model enc\n",
    )
    for command in (("list",), ("prune", "--keep", "1")):
        outcome = call("baseline", command[0], tmp_path / "nosuch", *command[1:])
        line = f"{tmp_path}/nosuch: holds no baselines; check the name of the store"
        assert (outcome.code, outcome.error) == (4, line)
    assert not (tmp_path / "nosuch").exists()


def test_an_entry_that_is_damaged_or_removed_meanwhile_is_passed_over(tmp_path: Path, store: Path) -> None:
    (folder,) = (store / "enc").glob(f"{B}*")
    (folder / "nodes.parquet").write_bytes(b"")
    code, out, err = pick(store, ancestors(tmp_path, B, A), "--json")
    found = json.loads(out)
    assert (code, found["commit"], found["commits_back"]) == (0, A, 1)
    assert err.splitlines()[0] == (
        f"tfprof-report: warning: enc: 1 report passed over, damaged, such as {folder}: "
        "nodes.parquet is not the file that summary.json lists"
    )
    (folder / "nodes.parquet").unlink()
    assert pick(store, ancestors(tmp_path, B, A))[2].startswith(
        f"tfprof-report: warning: enc: 1 report passed over, damaged, such as {folder}: a file is missing\n"
    )


def test_a_save_that_goes_on_is_said_to_be_one_and_is_removed_a_day_later(
    tmp_path: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder,) = (store / "enc").glob(f"{B}*")
    (folder / "summary.json").unlink()
    code, out, err = pick(store, ancestors(tmp_path, B, A))
    assert (code, f"/enc/{A}_" in out) == (0, True)
    assert err.splitlines()[0] == (
        f"tfprof-report: warning: enc: 1 report passed over, not finished, such as {folder}: summary.json is missing"
    )
    words = (
        f"tfprof-report: warning: enc: 1 save not finished, such as {folder}: running, or interrupted; "
        "prune removes it 1 day after it began\n"
    )
    listed = call("baseline", "list", store)
    assert (B in listed.out, listed.err) == (False, words)
    assert call("baseline", "prune", store, "--older-than", "0d") == (0, "", words)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1714725001")  # a day and a second later
    pruned = call("baseline", "prune", store, "--keep", "9")
    assert (pruned.out, pruned.err) == (f"Removed  {folder} (never finished)\n", "")


def test_the_reports_of_a_store_are_listed_by_model_the_newest_first(
    store: Path, reports: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1714725000")
    assert call("baseline", "save", store, reports["none"], "--model", "dec", "--commit", A).code == 0
    assert call("baseline", "save", store, reports["a"], "--model", "enc", "--commit", A).out.startswith("Unchanged ")
    outcome = call("baseline", "list", store)
    rows = [line.split("\t") for line in outcome.out.splitlines()]
    assert rows[0][:4] == ["model", "commit", "saved", "size"]
    assert rows[1][:3] == ["dec", A, "2024-05-03T08:30:00Z"]
    assert {tuple(row[:3]) for row in rows[2:]} == {("enc", A, WHEN), ("enc", B, WHEN)}
    assert all(row[3].endswith(" KiB") for row in rows[1:])
    listed = json.loads(call("baseline", "list", store, "--json", "--model", "dec").out)
    (held,) = listed
    assert held["bytes"] == sum(map(len, contents(reports["none"]).values()))
    assert held["files"] == len(contents(reports["none"]))
    assert contents(Path(held["path"])) == contents(reports["none"])
    outcome = call("baseline", "list", store, "--model", "end")
    assert (outcome.code, outcome.error) == (4, f"{store}: holds no baseline of the model end; did you mean enc?")


def test_what_is_old_is_removed_and_a_dry_run_only_says_so(
    store: Path, reports: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1714725000")  # a day later
    assert call("baseline", "save", store, reports["none"], "--model", "enc", "--commit", C).code == 0
    before = snapshot(store)
    dry = call("baseline", "prune", store, "--keep", "1", "--dry-run")
    assert snapshot(store) == before
    wet = call("baseline", "prune", store, "--keep", "1")
    assert dry.out == wet.out.replace("Removed", "Would remove")
    assert sorted(line.split("/")[-1][0] for line in wet.out.splitlines()) == ["a", "b"]
    assert [path.name[0] for path in (store / "enc").iterdir()] == ["c"]
    assert call("baseline", "prune", store, "--older-than", "1h").out == ""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1714825000")
    assert call("baseline", "prune", store, "--keep", "1", "--older-than", "1h").out == ""
    assert call("baseline", "prune", store, "--older-than", "1h", "--model", "enc").out.startswith("Removed  ")
    assert json.loads(call("baseline", "list", store, "--model", "enc", "--json").out) == []


def test_each_model_of_several_is_saved_or_none(tmp_path: Path, reports: dict[str, Path]) -> None:
    store = tmp_path / "store"
    outcome = call("baseline", "save", store, reports["all"])
    assert (outcome.code, outcome.error) == (
        2,
        "--commit: the report names no commit; name it, such as --commit SHA",
    )
    assert not store.exists()
    assert call("baseline", "save", store, reports["all"], "--commit", A).code == 0
    for name in ("one", "two"):
        outcome = pick(store, ancestors(tmp_path, A), "--out", tmp_path / name, model=name)
        assert contents(tmp_path / name) == contents(reports["all"] / name)
    assert call("baseline", "save", store, reports["all"], "--commit", B, "--model", "two").code == 0
    assert [
        line.split("\t")[:2] for line in call("baseline", "list", store, "--model", "one").out.splitlines()[1:]
    ] == [["one", A]]
    broken = shutil.copytree(reports["all"], tmp_path / "broken")
    (broken / "two" / "nodes.parquet").write_bytes(b"")
    outcome = call("baseline", "save", tmp_path / "other", broken, "--commit", A)
    assert outcome.code == 3
    assert not (tmp_path / "other").exists()


def test_only_finished_reports_are_saved(tmp_path: Path, reports: dict[str, Path]) -> None:
    broken = shutil.copytree(reports["a"], tmp_path / "broken")
    (broken / "report.html").write_text("other")
    outcome = call("baseline", "save", tmp_path / "store", broken, "--model", "enc")
    assert outcome.code == 3
    problem = "the folder is incomplete or was changed (report.html is not the file that summary.json lists)"
    assert outcome.error == f"{broken}: {problem}; give a finished report folder"
    for name in (("--model", "enc"), ()):
        assert call("baseline", "save", tmp_path / "store", tmp_path / "nosuch", *name).code == 3
    assert not (tmp_path / "store").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("save", "S", "R"), "--model: the model has no name; name it"),
        (("save", "S", "R", "--model", "../x"), '--model "../x": a name has letters, digits'),
        (("save", "S", "R", "--model", "a\nb"), '--model "a\\nb": a name has letters, digits'),
        (("save", "S", "R", "--model", "x" * 10_000), f'--model "{"x" * 10_000}": the name is longer than 100 bytes'),
        (("save", "S", "R", "--model", "enc", "--commit", "../x"), "the report is of commit"),
        (("save", "", "R", "--model", "enc"), "STORE: the value is empty"),
        (
            ("save", "S", "ALL", "--model", "three", "--commit", "x"),
            '--model: "three" is not known; choose from one, two',
        ),
        (("pick", "S", "--model", "enc"), "--ancestors: is missing"),
        (("pick", "S", "--ancestors", "F"), "--model: is missing"),
        (("pick", "S", "--model", "a/b", "--ancestors", "F"), '--model "a/b": a name has letters'),
        (("pick", "S", "--model", "enc", "--ancestors", "F", "--out", ""), "--out: the value is empty"),
        (("pick", "s3://k:s@b/p?region=x", "--model", "enc", "--ancestors", "F"), "s3://b/p: is not a folder on this"),
        (("prune", "S"), "--keep, --older-than: nothing says what to remove"),
        (("prune", "S", "--keep", "0"), "--keep: 0 would keep nothing"),
        (("prune", "S", "--older-than", "9"), '--older-than "9": is not an age'),
    ],
)
def test_wrong_arguments_are_one_line(
    tmp_path: Path, reports: dict[str, Path], arguments: tuple[str, ...], words: str
) -> None:
    places = {
        "S": str(tmp_path / "store"),
        "R": str(reports["a"]),
        "ALL": str(reports["all"]),
        "F": str(ancestors(tmp_path, A)),
    }
    outcome = call("baseline", *(places.get(each, each) for each in arguments))
    assert (outcome.code, outcome.out) == (2, "")
    assert words in outcome.error
    assert not (tmp_path / "store").exists()


def test_a_store_that_cannot_be_written_is_one_line(tmp_path: Path, reports: dict[str, Path]) -> None:
    (tmp_path / "file").touch()
    outcome = call("baseline", "save", tmp_path / "file" / "store", reports["a"], "--model", "enc")
    assert outcome.code == 3
    assert outcome.error == f"{tmp_path}/file/store (STORE): cannot be written (Not a directory)"


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="mounts a folder")
def test_a_store_that_is_mounted_to_be_read_is_read(tmp_path: Path, store: Path, reports: dict[str, Path]) -> None:
    mount = tmp_path / "mount"
    mount.mkdir()
    if subprocess.run(["mount", "--bind", "-o", "ro", store, mount], capture_output=True, check=False).returncode:
        pytest.skip("mounts are not allowed here")
    try:
        subprocess.run(["mount", "-o", "remount,bind,ro", mount], check=False, capture_output=True)
        assert pick(mount, ancestors(tmp_path, A))[0] == 0
        assert call("baseline", "list", mount).code == 0
        for arguments in (("save", mount, reports["all"], "--commit", A), ("prune", mount, "--older-than", "0d")):
            with patch.dict(os.environ, {"SOURCE_DATE_EPOCH": "1714725000"}):
                outcome = call("baseline", *arguments)
            assert outcome.code == 3
            assert outcome.error == f"{mount} (STORE): cannot be written (Read-only file system)"
    finally:
        subprocess.run(["umount", mount], check=True)


def _linked(store: Path, tmp_path: Path) -> tuple[Path, Path]:
    """Move an entry out of the store, and leave a link in its place; return both."""
    (folder,) = (store / "enc").glob(f"{B}*")
    outside = folder.rename(tmp_path / "outside")
    folder.symlink_to(outside)
    return folder, outside


def test_no_command_follows_a_link_out_of_the_store(tmp_path: Path, store: Path, reports: dict[str, Path]) -> None:
    link, outside = _linked(store, tmp_path)
    before, file = snapshot(outside), ancestors(tmp_path, B, A)
    words = f"tfprof-report: warning: enc: left alone 1 symbolic link, such as {link}\n"
    picked, listed = pick(store, file), call("baseline", "list", store)
    assert (picked[0], f"/{A}_" in picked[1], words in picked[2]) == (0, True, True)
    assert (listed.code, B in listed.out, listed.err) == (0, False, words)
    for age in (("--older-than", "0d"), ("--keep", "1")):
        assert call("baseline", "prune", store, *age, "--dry-run").err == words
        assert call("baseline", "prune", store, *age).code == 0
    assert link.is_symlink()
    assert snapshot(outside) == before
    shutil.rmtree(store / "enc")
    (store / "enc").symlink_to(outside, target_is_directory=True)
    refused = "is a symbolic link, which no store follows"
    saved = call("baseline", "save", store, reports["a"], "--model", "enc")
    assert (saved.code, saved.error) == (3, f"{store} (STORE): cannot be written (enc {refused})")
    outcome = pick(store, file, "--baseline-missing", "ok")
    assert outcome == (4, "", f"tfprof-report: {store} (STORE): cannot be read (enc {refused})\n")
    for command in (("list",), ("prune", "--keep", "1")):
        outcome = call("baseline", *command, store, "--model", "enc")
        assert (outcome.code, outcome.error) == (4, f"{store}/enc: {refused}")
        outcome = call("baseline", *command, store)
        assert (outcome.code, f"left alone 1 symbolic link, such as {store}/enc" in outcome.err) == (4, True)
    assert snapshot(outside) == before


def test_a_file_behind_a_link_is_not_read(tmp_path: Path, store: Path) -> None:
    (folder,) = (store / "enc").glob(f"{B}*")
    for name in ("op.parquet", "summary.json"):
        outside = (folder / name).rename(tmp_path / name)
        (folder / name).symlink_to(outside)
        outcome = pick(store, ancestors(tmp_path, B, A))
        assert f"/{A}_" in outcome[1]
        assert f"damaged, such as {folder}: enc/{folder.name}/{name} is a symbolic link" in outcome[2]
    assert call("baseline", "prune", store, "--older-than", "0d").code == 0
    assert (tmp_path / "op.parquet").exists()
    assert (tmp_path / "summary.json").exists()


@pytest.mark.parametrize("time", ["99991231T235959Z", "21000101T000000Z"])
def test_a_report_from_the_future_is_in_nobodys_way(
    tmp_path: Path, store: Path, reports: dict[str, Path], time: str
) -> None:
    (folder,) = (store / "enc").glob(f"{B}*")
    ahead = folder.rename(folder.with_name(f"{B}_{time}_{folder.name[-16:]}"))
    words = f"tfprof-report: warning: enc: 1 report from the future, such as {ahead} ({time[:4]}-"
    assert words in call("baseline", "list", store).err
    picked = pick(store, ancestors(tmp_path, B))
    assert (picked[1], words in picked[2]) == (f"{ahead}\n", True)  # it is the only one of its commit
    assert call("baseline", "save", store, reports["b"], "--model", "enc").out.startswith("Saved ")
    assert "20240502T083000Z" in pick(store, ancestors(tmp_path, B))[1]
    assert call("baseline", "prune", store, "--older-than", "0d").out == ""
    assert str(ahead) in call("baseline", "prune", store, "--keep", "2").out
    assert not ahead.exists()


def test_a_time_of_few_digits_is_found_again(tmp_path: Path, store: Path) -> None:
    (folder,) = (store / "enc").glob(f"{B}*")
    old = folder.rename(folder.with_name(f"{B}_00010101T000000Z_{folder.name[-16:]}"))
    assert pick(store, ancestors(tmp_path, B))[:2] == (0, f"{old}\n")
    assert call("baseline", "prune", store, "--older-than", "1d").out == f"Removed  {old}\n"


def test_ancestors_come_from_standard_input_too(store: Path) -> None:
    outcome = spawn("baseline", "pick", store, "--model", "enc", "--ancestors", "-", stdin=f"{C}\n{A}\n".encode())
    assert outcome.code == 0
    assert f"/enc/{A}_" in outcome.out


@pytest.mark.parametrize("command", ["save", "pick", "list", "prune"])
def test_the_help_of_a_command_has_80_columns(command: str) -> None:
    assert f"\n  {command} " in call("baseline", "--help").out
    assert max(map(len, call("baseline", command, "--help").out.splitlines())) <= 80


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with s3_server() as address:
        yield address


@pytest.mark.thorough
def test_an_object_store_is_a_store(tmp_path: Path, server: str, reports: dict[str, Path]) -> None:
    url = s3_url(server, "some/path/")
    name, file = "s3://bucket/some/path", ancestors(tmp_path, C, B, A)
    outcome = pick(url, file, "--out", tmp_path / "o")
    assert (outcome.code, outcome.error) == (4, f"{name}: holds no baseline of the model enc")
    for report in ("a", "b"):
        outcome = call("baseline", "save", url, reports[report], "--model", "enc")
        assert outcome.code == 0, outcome
        assert outcome.out.startswith(f"Saved     {name}/enc/{report * 40}_20240502T083000Z_")
    outcome = pick(url, file, "--out", tmp_path / "o")
    assert outcome == (0, f"{tmp_path}/o\n", f"tfprof-report: enc: commit {B}, 1 commit back, saved {WHEN}\n")
    assert contents(tmp_path / "o") == contents(reports["b"])
    listed = spawn("baseline", "list", url)  # a process of its own, which also has to end
    rows = [line.split("\t")[:2] for line in listed.out.splitlines()]
    assert sorted(rows) == [["enc", A], ["enc", B], ["model", "commit"]]
    pruned = call("baseline", "prune", url, "--keep", "1")
    assert (pruned.code, pruned.err, pruned.out.count("\n")) == (0, "", 1)
    assert call("baseline", "list", url).out.count("\n") == 2


def test_saves_to_an_object_store_at_the_same_time_do_not_mix(
    server: str, reports: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"s3://bucket/race?region=us-east-1&scheme=http&endpoint_override={server}"
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    together = Barrier(3)

    def save_one(name: str, commit: str) -> bool:
        files, place = contents(reports[name]), open_place(url)
        in_order = {**{each: files[each] for each in files if each != "summary.json"}, "summary.json": b""}
        in_order["summary.json"] = files["summary.json"]
        together.wait()
        return save(place, in_order, model="enc", commit=commit, now=datetime(2024, 5, 2, tzinfo=UTC))[1]

    with ThreadPoolExecutor(3) as pool:
        savers = [pool.submit(save_one, name, commit) for name, commit in (("a", A), ("a", A), ("none", C))]
    assert [saver.result() for saver in savers][2]
    listed = json.loads(call("baseline", "list", url, "--json").out)
    assert sorted(each["commit"] for each in listed) == [A, C]
    assert {each["files"] for each in listed} == {len(contents(reports["a"]))}


def test_a_bucket_that_is_not_there_is_one_line_and_no_first_run(
    tmp_path: Path, server: str, reports: dict[str, Path]
) -> None:
    url = f"s3://key:secret@nobucket/x?region=us-east-1&scheme=http&endpoint_override={server}"
    why = "(The specified bucket does not exist)"
    outcome = call("baseline", "save", url, reports["a"], "--model", "enc")
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.error == f"s3://nobucket/x (STORE): cannot be written {why}"
    picks = [
        pick(url, ancestors(tmp_path, A), "--out", tmp_path / "o", "--baseline-missing", word)
        for word in ("fail", "warn", "ok")
    ]
    for outcome in (*picks, call("baseline", "list", url), call("baseline", "prune", url, "--keep", "1")):
        assert (outcome.code, outcome.out) == (4, "")
        assert outcome.error == f"s3://nobucket/x (STORE): cannot be read {why}"


@pytest.mark.parametrize(
    ("scheme", "words"),
    [("s3://key:secret@", "Timeout was reached"), ("gs://anonymous@", "has not answered within 1 s")],
)
def test_a_server_that_accepts_and_stays_silent_is_given_up(
    tmp_path: Path, scheme: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert patience.SILENCE <= 15
    assert (connection._CONNECT + connection._REQUEST) * connection._ATTEMPTS <= 15
    monkeypatch.setattr(patience, "SILENCE", 1.0 if scheme.startswith("gs") else 9.0)
    monkeypatch.setattr(connection, "_REQUEST", 1.0)
    monkeypatch.setattr(connection, "_ATTEMPTS", 1)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen(9)
        more = "region=us-east-1" if scheme.startswith("s3") else "retry_limit_seconds=1"
        url = f"{scheme}bucket/x?scheme=http&endpoint_override=127.0.0.1:{silent.getsockname()[1]}&{more}"
        outcome = pick(url, ancestors(tmp_path, A), "--out", tmp_path / "o", "--baseline-missing", "ok")
    assert (outcome.code, outcome.out) == (4, "")
    assert "bucket/x (STORE): cannot be read (" in outcome.error
    assert words in outcome.error
