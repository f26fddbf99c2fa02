"""The command `index`: what it lists, and its one-line errors."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest
from command import WHEN, Outcome, call, small_model, write_report
from lxml.html import document_fromstring

COMMITS = ("aaaa0123456789abcdef", "bbbb0123456789abcdef")
SAVED = 1714638000


@pytest.fixture(scope="module")
def top(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with two reports below ``runs``, and a store that has them."""
    folder = tmp_path_factory.mktemp("index")
    for day, (width, commit) in enumerate(zip((4, 5), COMMITS, strict=True)):
        report = folder / "runs" / f"w{width}"
        branch = ("main", "next")[day]
        write_report(small_model(folder / "models" / str(width), width=width), report, "--commit", commit)
        with patch.dict(os.environ, {"SOURCE_DATE_EPOCH": str(SAVED + day)}):
            write_report(folder / "models" / str(width), report, "--commit", commit, "--branch", branch)
            assert call("baseline", "save", folder / "store", report, "--model", "net").code == 0
    return folder


@pytest.fixture(autouse=True)
def _there(top: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(top)
    yield
    Path("index.html").unlink(missing_ok=True)


def index(*arguments: object) -> Outcome:
    return call("index", *arguments, "--out", "index.html", "--timestamp", WHEN)


def rows() -> list[tuple[str, str, str]]:
    """Return the model, the commit and the link of each row."""
    page = document_fromstring(Path("index.html").read_text())
    return [
        (row.find("th").text_content(), row.xpath("./td[3]/@title")[0], "".join(row.xpath("./th/a/@href")))
        for row in page.xpath("//tbody/tr")
    ]


def test_the_reports_below_a_folder_are_listed_by_path() -> None:
    assert index("runs") == Outcome(0, "2 reports\nIndex     index.html\n", "")
    assert rows() == [("w4", COMMITS[0], "runs/w4/report.html"), ("w5", COMMITS[1], "runs/w5/report.html")]


def test_links_are_seen_from_the_page() -> None:
    Path("pages").mkdir(exist_ok=True)
    assert call("index", "runs", "--out", "pages/i.html", "--timestamp", WHEN).code == 0
    assert 'href="../runs/w4/report.html"' in Path("pages/i.html").read_text()


def test_the_reports_of_a_store_are_listed_the_newest_first() -> None:
    assert index("store").code == 0
    assert [row[:2] for row in rows()] == [("net", COMMITS[1]), ("net", COMMITS[0])]
    (folder,) = Path("store/net").glob("aaaa*")
    assert rows()[1][2] == f"store/net/{folder.name}/report.html"


def test_a_query_lists_some_of_them() -> None:
    assert index("store", "--query", "branch=main").code == 0
    assert [row[1] for row in rows()] == [COMMITS[0]]
    assert index("store", "--query", "branch=main", "--query", "last=1", "--store-url", "none").code == 0
    assert [row[1:] for row in rows()] == [(COMMITS[1], ""), (COMMITS[0], "")]


def test_two_runs_write_the_same_bytes() -> None:
    index("runs")
    before = Path("index.html").read_bytes()
    index("runs")
    assert Path("index.html").read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "code", "error"),
    [
        (("missing",), 3, "missing: cannot be read (No such file or directory); check the path"),
        (("models",), 3, "models: holds no reports; name a folder of report folders, or a store"),
        (("runs", "--query", "last=1"), 2, "--query: runs is no store; leave it out, or name a store"),
        (("store", "--query", "model=x"), 4, "store: holds no baseline of the model x; choose from net"),
        (("store", "--query", "branch=x"), 4, "store (--query): holds no report that is meant; ask for others"),
    ],
)
def test_errors_are_one_line_and_nothing_is_written(arguments: tuple[str, ...], code: int, error: str) -> None:
    outcome = index(*arguments)
    assert (outcome.code, outcome.error) == (code, error)
    assert not Path("index.html").exists()


def test_the_page_is_not_in_the_store_and_needs_a_name() -> None:
    outcome = call("index", "store", "--out", "store/index.html")
    assert (outcome.code, outcome.error[:43]) == (2, "store/index.html (--out): is in the store; ")
    assert call("index", "store").error.startswith("Missing option '--out'; name the file to write")
