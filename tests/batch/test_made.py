"""Keys of reports: the same for the same report, another for whatever may change a byte of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from command import write_model, write_report
from messages import graph, node

from tfprof_report.batch.entry import Entry, Target
from tfprof_report.batch.made import Made, find_made, folder_place, key_of, note_made


@pytest.fixture
def entry(tmp_path: Path) -> Entry:
    """Return an entry with an input and a rules file."""
    (tmp_path / "graph.pb").write_bytes(b"graph")
    (tmp_path / "rules.toml").write_bytes(b"gates = []")
    files = (str(tmp_path / "graph.pb"), str(tmp_path / "rules.toml"))
    return Entry(number=0, model="net", name="net", command=("report", files[0]), inputs=files)


def test_the_key_is_that_of_the_same_report(entry: Entry) -> None:
    key = key_of(entry)
    assert key is not None
    assert len(key) == 64
    assert key_of(replace(entry, number=7, labels={"a": "b"}, need_bytes=5)) == key
    assert key_of(replace(entry, inputs=None)) is None


@pytest.mark.parametrize(
    "change",
    [
        lambda entry, _: replace(entry, command=(*entry.command, "--max-depth=3")),
        lambda entry, _: replace(entry, inputs=entry.inputs[:1]),
        lambda entry, top: (top / "graph.pb").write_bytes(b"grapj") and entry,
        lambda entry, top: (top / "rules.toml").write_bytes(b"gates = [ ]") and entry,
    ],
    ids=["option", "file", "byte of an input", "byte of the rules"],
)
def test_another_option_file_or_byte_gives_another_key(
    entry: Entry, tmp_path: Path, change: Callable[[Entry, Path], Entry]
) -> None:
    before = key_of(entry)
    assert key_of(change(entry, tmp_path)) != before


@pytest.mark.parametrize("version", ["__version__", "COUNTING_VERSION", "SCHEMA_VERSION"])
def test_another_version_gives_another_key(entry: Entry, monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    before = key_of(entry)
    monkeypatch.setattr(f"tfprof_report.batch.made.{version}", "another")
    assert key_of(entry) != before


def test_a_report_is_found_while_it_is_whole(entry: Entry, tmp_path: Path) -> None:
    place, target = folder_place(str(tmp_path)), Target(folder=str(tmp_path), store=None)
    model = write_model(tmp_path / "model", graph(node("x", "Placeholder")))
    write_report(model, tmp_path / "net")
    assert find_made(place, target, entry, "key") is None
    summary = (tmp_path / "net" / "summary.json").read_bytes()
    made = Made(path="net", summary=summary, batch="one")
    note_made(place, target, entry, "key", made)
    assert find_made(place, target, entry, "key") == made
    assert made.verdict["exit_code"] == 0
    assert find_made(place, target, entry, "another") is None
    table = tmp_path / "net" / "nodes.parquet"
    content = table.read_bytes()
    table.write_bytes(content[:-1])
    assert find_made(place, target, entry, "key") is None
    table.write_bytes(content)
    assert find_made(place, target, entry, "key") == made
    (tmp_path / "net" / "summary.json").unlink()
    assert find_made(place, target, entry, "key") is None
