"""The index of a store has a row for each report, whatever other jobs do, and for those that are gone."""

from __future__ import annotations

import hashlib
import json
import random
import shutil
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command import small_model, summary_of, write_report
from s3_server import s3_server, s3_url

from tfprof_report.report.store import row_files
from tfprof_report.report.store.index import compact, index_saved, indexed_models, read_index
from tfprof_report.report.store.local import LinkError, LocalPlace
from tfprof_report.report.store.objects import ObjectPlace
from tfprof_report.report.store.place import Place, open_place
from tfprof_report.report.store.store import Entry, entries_of, remove, save
from tfprof_report.report.store.usable import Unusable, passed_words
from tfprof_report.schema.index_columns import INDEX
from tfprof_report.schema.metrics import SCHEMA_VERSION

NOW = datetime(2024, 5, 2, 8, 30, tzinfo=UTC)


@pytest.fixture(scope="module")
def summary(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the summary of a small report."""
    top = tmp_path_factory.mktemp("small")
    return dict(summary_of(write_report(small_model(top / "m"), top / "r")))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return open_place(str(tmp_path / "store"))


class Saver:
    """Saves reports that differ in their parameters, one an hour."""

    def __init__(self, place: Place, summary: dict[str, Any], *, has_index: bool = True) -> None:
        self.place, self.summary, self.has_index = place, summary, has_index

    def save(self, number: int, **changes: Any) -> Entry:
        total = {"stem": "params", "value": number, "at_least": None, "unknown_nodes": 0, "known": 1, "capable": 1}
        data = json.dumps({**self.summary, "totals": [total], "files": {}, **changes}).encode()
        now = NOW + timedelta(hours=number)
        entry, is_new = save(self.place, {"summary.json": data}, model="enc", commit=f"{number:040x}", now=now)
        if self.has_index:
            index_saved(self.place, entry, data, now, is_new=is_new)
        return entry


def params(place: Place) -> list[int]:
    found: list[int] = read_index(place, "enc", NOW).rows["params"].to_pylist()
    return found


def index_files(place: Place) -> list[str]:
    return sorted("/".join(parts) for parts in place.sizes("index/enc"))


def test_a_save_writes_a_row_under_the_name_of_its_report(place: Place, summary: dict[str, Any]) -> None:
    entries = [Saver(place, summary).save(number) for number in (2, 1, 3)]
    assert index_files(place) == sorted(f"{entry.path.partition('/')[2]}.parquet" for entry in entries)
    index = read_index(place, "enc", NOW)
    assert index.rows["params"].to_pylist() == [1, 2, 3]  # the oldest saved first
    assert index.rows.schema.equals(INDEX)
    assert (index.held, index.left_out) == (frozenset(entry.path for entry in entries), ())
    assert read_index(place, "dec", NOW).rows.num_rows == 0


def test_a_report_from_the_future_is_never_the_newest(place: Place, summary: dict[str, Any]) -> None:
    saver = Saver(place, summary)
    for number in (3, 9_000_000, 8_000_000, 1):  # hours
        saver.save(number)
    assert params(place) == [8_000_000, 9_000_000, 1, 3]
    assert compact(place, "enc", NOW).rows["params"].to_pylist() == [8_000_000, 9_000_000, 1, 3]
    shutil.rmtree(Path(place.shown("enc")).parent / "index")
    assert params(place) == [8_000_000, 9_000_000, 1, 3]


def test_rows_are_the_same_from_summaries_from_row_files_and_compacted(place: Place, summary: dict[str, Any]) -> None:
    saver = Saver(place, summary)
    for number in range(4):
        saver.save(number)
    one_by_one = read_index(place, "enc", NOW).rows
    assert compact(place, "enc", NOW).rows.equals(one_by_one)
    assert [name[:5] for name in index_files(place)] == ["rows_"]
    assert read_index(place, "enc", NOW).rows.equals(one_by_one)
    assert isinstance(place, LocalPlace)
    shutil.rmtree(place.root / "index")
    assert read_index(place, "enc", NOW).rows.equals(one_by_one)
    assert not (place.root / "index").exists()  # readers do not write


def test_a_store_without_an_index_gets_one_by_the_next_save(
    place: Place, summary: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = Saver(place, summary, has_index=False)
    entries = [before.save(number) for number in range(3)]
    monkeypatch.setattr(LocalPlace, "discard", None)  # who saves may not be allowed to remove
    last = Saver(place, summary).save(3)
    assert [name[:5] for name in index_files(place)] == ["00000", "rows_"]
    for entry in (*entries, last):
        remove(place, entry)
    index = read_index(place, "enc", NOW)
    assert (index.rows["params"].to_pylist(), index.held) == ([0, 1, 2, 3], frozenset())


def test_what_a_version_without_an_index_saves_is_in_it_after_the_next_prune(
    place: Place, summary: dict[str, Any]
) -> None:
    Saver(place, summary).save(0)
    entry = Saver(place, summary, has_index=False).save(1)
    assert params(place) == [0, 1]
    compact(place, "enc", NOW)
    remove(place, entry)
    assert params(place) == [0, 1]
    assert indexed_models(place) == ["enc"]


def test_totals_outlast_their_reports_through_many_prunes(place: Place, summary: dict[str, Any]) -> None:
    saver = Saver(place, summary)
    for number in range(6):
        entry = saver.save(number)
        compact(place, "enc", NOW)
        assert len(index_files(place)) == 1
        if number % 2:
            remove(place, entry)
    index = read_index(place, "enc", NOW)
    assert index.rows["params"].to_pylist() == list(range(6))
    assert sorted(index.held) == [entry.path for entry in sorted(entries_of(place, "enc"), key=lambda one: one.path)]
    before = index_files(place)
    compact(place, "enc", NOW)
    assert index_files(place) == before


def test_a_prune_that_dies_before_it_removes_files_leaves_each_row_once(
    place: Place, summary: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        Saver(place, summary).save(number)

    def die(*_: object) -> None:
        raise OSError("killed")

    with monkeypatch.context() as patch:
        patch.setattr(LocalPlace, "discard", die)
        with pytest.raises(OSError, match="killed"):
            compact(place, "enc", NOW)
    assert len(index_files(place)) == 4
    assert params(place) == [0, 1, 2]
    compact(place, "enc", NOW)
    assert len(index_files(place)) == 1
    assert params(place) == [0, 1, 2]


def test_files_that_another_prune_removes_are_read_from_its_file(
    place: Place, summary: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        remove(place, Saver(place, summary).save(number))
    listed = LocalPlace.sizes
    waiting = [True]

    def late(self: LocalPlace, folder: str) -> Any:
        found = listed(self, folder)
        if waiting.pop() if waiting else False:
            compact(self, "enc", NOW)
        return found

    monkeypatch.setattr(LocalPlace, "sizes", late)
    assert params(place) == [0, 1, 2]


def test_two_jobs_that_prune_in_turns_never_remove_what_the_other_relies_on(
    place: Place, summary: dict[str, Any]
) -> None:
    """Both have read the same files; one has compacted more since, and the other ends late."""
    for number in range(3):
        remove(place, Saver(place, summary).save(number))
    early = row_files.read_row_files(place, "enc")
    remove(place, Saver(place, summary).save(3))
    compact(place, "enc", NOW)
    row_files.write_rows(place, "enc", row_files.one_each([early.rows]), replaced=early.files)
    assert params(place) == [0, 1, 2, 3]
    compact(place, "enc", NOW)
    assert params(place) == [0, 1, 2, 3]
    last = row_files.read_row_files(place, "enc")  # the same reports again, by a version that writes other bytes
    row_files.write_rows(place, "enc", last.rows.slice(0), replaced=last.files)
    assert params(place) == [0, 1, 2, 3]


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with s3_server() as address:
        yield address


def hammered(place: Place, summary: dict[str, Any], savers: int, each: int) -> None:
    """Save, prune and read at the same time; no row may be lost, and none seen may be lost later."""
    chance = random.Random(7)
    done: list[int] = []

    def saving(saver: int) -> None:
        for number in range(saver * each, (saver + 1) * each):
            Saver(place, summary).save(number)
            time.sleep(chance.random() / 500)
        done.append(saver)

    def pruning(_: int) -> None:
        while len(done) < savers:
            going = entries_of(place, "enc")[::2]
            there = compact(place, "enc", NOW)
            for entry in going:
                if entry.path in there.rows["report"].to_pylist():
                    remove(place, entry)

    with ThreadPoolExecutor(savers + 3) as pool:
        jobs = [pool.submit(saving, saver) for saver in range(savers)] + [pool.submit(pruning, 0) for _ in range(3)]
        for job in jobs:
            job.result()
    assert params(place) == list(range(savers * each))


def test_jobs_that_save_and_prune_at_the_same_time_lose_nothing(place: Place, summary: dict[str, Any]) -> None:
    hammered(place, summary, savers=3, each=12)
    assert len(compact(place, "enc", NOW).held) < 36
    assert len(index_files(place)) == 1


def counted(method: Callable[..., Any], asked: list[str]) -> Callable[..., Any]:
    """Return a method of a place that keeps the paths that it is asked for."""

    def asking(self: Place, path: str = "") -> Any:
        asked.append(path)
        return method(self, path)

    return asking


@pytest.mark.thorough
def test_an_object_store_has_an_index_too(
    server: str, summary: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    place = open_place(s3_url(server, "totals"))
    hammered(place, summary, savers=2, each=4)
    saver = Saver(place, summary)
    entries = [saver.save(number) for number in range(8, 12)]
    compact(place, "enc", NOW)
    asked: list[str] = []
    for name in ("read", "folders", "sizes"):
        monkeypatch.setattr(ObjectPlace, name, counted(getattr(ObjectPlace, name), asked))
    index = read_index(place, "enc", NOW)
    assert index.rows["params"].to_pylist() == list(range(12))
    assert {entry.path for entry in entries} <= index.held
    assert (asked[0], asked[2:]) == ("index/enc", ["enc"])  # a listing, one file, a listing
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    assert len(pd.read_parquet(s3_url(server, "totals/index").replace("key:secret@", ""))) == 12


def rows_with(place: Place, **columns: Any) -> pa.Table:
    """Return the first row of the index with other values in some columns."""
    row = read_index(place, "enc", NOW).rows.slice(0, 1)
    for name, value in columns.items():
        at = row.column_names.index(name)
        row = row.set_column(at, name, value if isinstance(value, pa.Array) else pa.array([value], row[name].type))
    return row


_FOREIGN = {
    "not a Parquet file": lambda _: b"PAR1",
    "not a Parquet file, empty": lambda _: b"",
    "of another type": lambda place: rows_with(place, params=pa.array(["x"])),
    "has rows without commit": lambda place: rows_with(place, commit=None),
    "rows of other reports": lambda place: rows_with(place, model="dec"),
    "rows of other reports, its path": lambda place: rows_with(place, report="enc/../../x"),
    "rows of other reports, no path": lambda place: rows_with(place, report="enc/x_20240502T083000Z_0123456789abcdef"),
    "times that are not dates": lambda place: rows_with(
        place, time=pa.array([2**62], pa.int64()).cast(pa.timestamp("us", tz="UTC"))
    ),
    "text that is not UTF-8": lambda place: rows_with(
        place, branch=pa.Array.from_buffers(pa.string(), 1, pa.array([b"\xff"]).buffers())
    ),
    "rows without model": lambda _: pa.table({"x": [1]}),
}


@pytest.mark.parametrize("words", _FOREIGN)
def test_a_file_that_is_none_of_the_index_is_named_and_stays(place: Place, summary: dict[str, Any], words: str) -> None:
    Saver(place, summary).save(0)
    Saver(place, summary).save(1)
    assert isinstance(place, LocalPlace)
    file = place.root / "index" / "enc" / "other.parquet"
    content = _FOREIGN[words](place)
    if isinstance(content, bytes):
        file.write_bytes(content)
    else:
        pq.write_table(content, file, write_statistics=False)
    before = file.read_bytes()
    for found in (read_index(place, "enc", NOW), compact(place, "enc", NOW), read_index(place, "enc", NOW)):
        assert found.rows["params"].to_pylist() == [0, 1]
        (passed,) = found.left_out
        assert (passed.path, passed.kind) == (str(file), Unusable.ROW_FILE)
        assert words.partition(",")[0] in passed.why
    assert file.read_bytes() == before
    assert passed_words([passed])[0].startswith(f"1 file of the index passed over, damaged or foreign, such as {file}")


def test_what_is_no_parquet_file_is_named_unless_it_is_hidden(place: Place, summary: dict[str, Any]) -> None:
    Saver(place, summary).save(0)
    for name in ("README", "below/x.parquet", ".x.parquet.12ab", "_SUCCESS"):
        place.write(f"index/enc/{name}", b"")
    left_out = [passed.path.partition("/index/enc/")[2] for passed in read_index(place, "enc", NOW).left_out]
    assert left_out == ["README", "below/x.parquet"]


def test_a_damaged_row_file_is_no_loss_while_the_report_is_there(place: Place, summary: dict[str, Any]) -> None:
    entry = Saver(place, summary).save(0)
    place.write(f"index/{entry.path}.parquet", b"PAR1")
    index = read_index(place, "enc", NOW)
    assert (index.rows["params"].to_pylist(), len(index.left_out)) == ([0], 1)
    compact(place, "enc", NOW)
    remove(place, entry)
    assert params(place) == [0]


def test_damaged_newer_and_unfinished_reports_are_named(place: Place, summary: dict[str, Any]) -> None:
    saver = Saver(place, summary, has_index=False)
    saver.save(0)
    newer = saver.save(1, schema_version=SCHEMA_VERSION + 1)
    damaged, unfinished, foreign = saver.save(2), saver.save(3), saver.save(4, options=7)
    place.write(f"{damaged.path}/summary.json", b"{}")
    place.remove(f"{unfinished.path}", first="summary.json")
    place.write(f"{unfinished.path}/nodes.parquet", b"")
    index = compact(place, "enc", NOW)
    assert index.rows["params"].to_pylist() == [0]
    assert len(index.held) == 1
    kinds = {passed.path: (passed.kind, passed.why) for passed in index.left_out}
    assert kinds == {
        place.shown(newer.path): (
            Unusable.SCHEMA,
            f"was written with schema version {SCHEMA_VERSION + 1}, this version reads 2 and {SCHEMA_VERSION}",
        ),
        place.shown(damaged.path): (Unusable.DAMAGED, "summary.json is not the one that was saved"),
        place.shown(unfinished.path): (Unusable.UNFINISHED, "summary.json is missing"),
        place.shown(foreign.path): (Unusable.DAMAGED, "its summary holds something else than any version writes"),
    }


def test_folders_that_are_no_reports_and_links_are_named(place: Place, summary: dict[str, Any], tmp_path: Path) -> None:
    entry = Saver(place, summary).save(1)
    folder = Path(place.shown("enc"))
    for name in ("notes", ".snapshots"):
        (folder / name).mkdir()
    linked = folder / f"{2:040x}_20240502T083000Z_{2:016x}"
    linked.symlink_to(tmp_path)
    index = read_index(place, "enc", NOW)
    assert index.held == {entry.path}
    assert passed_words(index.left_out) == [
        f"1 folder passed over, foreign, such as {folder}/notes: its name is not that of a report",
        f"1 report passed over, a symbolic link, such as {linked}: it is not followed",
    ]


def test_rows_of_later_versions_are_named_and_kept_as_they_are(place: Place, summary: dict[str, Any]) -> None:
    for number in range(2):
        remove(place, Saver(place, summary).save(number))
    assert isinstance(place, LocalPlace)
    folder = place.root / "index" / "enc"
    first, second = sorted(folder.iterdir())
    later = pa.array([SCHEMA_VERSION + 1], pa.int64())
    at = INDEX.names.index("schema_version")
    pq.write_table(pq.read_table(first).set_column(at, "schema_version", later), first)
    pq.write_table(pq.read_table(second).append_column("more", pa.array([5])), second)
    before = {file.name: file.read_bytes() for file in (first, second)}
    remove(place, Saver(place, summary).save(2))
    remove(place, Saver(place, summary).save(3))
    index = compact(place, "enc", NOW)
    assert index.rows["params"].to_pylist() == [1, 2, 3]  # what this version knows of the second
    assert [(passed.kind, passed.path.rpartition("_")[0]) for passed in index.left_out] == [
        (Unusable.SCHEMA, place.shown(f"enc/{0:040x}_20240502T083000Z"))
    ]
    assert {name: (folder / name).read_bytes() for name in before} == before
    assert len(index_files(place)) == 3
    assert params(place) == [1, 2, 3]


def test_rows_of_earlier_versions_have_less_columns(place: Place, summary: dict[str, Any]) -> None:
    remove(place, Saver(place, summary).save(0))
    assert isinstance(place, LocalPlace)
    (file,) = (place.root / "index" / "enc").iterdir()
    pq.write_table(pq.read_table(file).drop_columns(["macs", "basis"]), file)
    Saver(place, summary).save(1)
    for found in (read_index(place, "enc", NOW), compact(place, "enc", NOW), read_index(place, "enc", NOW)):
        assert found.rows["params"].to_pylist() == [0, 1]
        assert found.rows["basis"].to_pylist() == [None, ""]
    assert len(index_files(place)) == 1


def test_an_index_behind_a_link_is_not_read_or_written(tmp_path: Path, place: Place, summary: dict[str, Any]) -> None:
    Saver(place, summary).save(0)
    assert isinstance(place, LocalPlace)
    outside = (place.root / "index").rename(tmp_path / "outside")
    (place.root / "index").symlink_to(outside, target_is_directory=True)
    for job in (read_index, compact):
        with pytest.raises(LinkError, match="index is a symbolic link, which no store follows"):
            job(place, "enc", NOW)


def test_the_same_rows_are_the_same_bytes(tmp_path: Path, summary: dict[str, Any]) -> None:
    contents = []
    for name, order in (("a", [0, 1, 2]), ("b", [2, 0, 1])):
        place = open_place(str(tmp_path / name))
        for number in order:
            Saver(place, summary).save(number)
        compact(place, "enc", NOW)
        (file,) = (tmp_path / name / "index" / "enc").iterdir()
        contents.append((file.name, hashlib.sha256(file.read_bytes()).hexdigest()))
    assert contents[0] == contents[1]
