"""The documentation site: it has every page, its links lead somewhere, and its bytes are the same each time."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from build_docs import place_on_site, stage, with_links_of_site
from repository import ROOT

REMOTE = re.compile(rb"""<(?:script|link|img)[^>]+(?:src|href)=["'](?:https?:)?//""")
PAGES = {
    "index.md": "# Top\n\n[a](a.md), [part](a.md#a-part), [change](../CHANGELOG.md)\n",
    "a.md": "# A\n\n## A part\n\n[up](index.md), [schema](a.schema.json), [all](../ci)\n",
    "a.schema.json": "{}",
}


def repository(folder: Path, **pages: str) -> Path:
    """Write the pages of a small repository, with the settings of this one."""
    docs = folder / "docs"
    shutil.copytree(ROOT / "docs" / "_static", docs / "_static")
    shutil.copy(ROOT / "docs" / "conf.py", docs)
    (folder / "ci").mkdir()
    (folder / "CHANGELOG.md").write_text("# Changes\n\n[a](docs/a.md)\n")
    (docs / "how-to").mkdir()
    for name, text in {**PAGES, **{f"{name}.md": text for name, text in pages.items()}}.items():
        (docs / name).write_text(text)
    return folder


def build(root: Path, out: Path, seed: str = "0") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, ROOT / "ci" / "build_docs.py", out, "--root", root],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONHASHSEED": seed},
    )


def test_links_between_docs_and_the_rest_of_the_repository_are_those_of_the_site() -> None:
    text = (
        "[gates](gates.md#grammar) [top](../README.md) [memory](../ci/README.md#memory) [folder](../examples) "
        "[`code`](../ci/build_docs.py) [web](https://example.org) [lost](lost.md) [here](#here)"
    )
    rewritten = (
        "[gates](gates.md#grammar) [top](index.md) [memory](repository/ci/README.md#memory) folder "
        "[`code`](repository/ci/build_docs.py) [web](https://example.org) [lost](lost.md) [here](#here)"
    )
    linked = {"docs/gates.md", "ci/README.md", "ci/build_docs.py"}
    assert with_links_of_site(text, "docs/history.md", ROOT) == (rewritten, linked)
    text, _ = with_links_of_site("[gates](../docs/gates.md)", "ci/README.md", ROOT)
    assert text == "[gates](../../gates.md)"
    assert place_on_site("docs/how-to/gate.md") == "how-to/gate.md"


def test_files_that_pages_link_to_are_staged(tmp_path: Path) -> None:
    stage(ROOT, tmp_path)
    assert (tmp_path / "repository" / "CHANGELOG.md").is_file()
    assert (tmp_path / "repository" / "examples" / "tables.ipynb").read_bytes() == (
        ROOT / "examples" / "tables.ipynb"
    ).read_bytes()
    assert not (tmp_path / "conf.py").exists()


def test_a_link_to_what_is_not_there_fails_with_its_line(tmp_path: Path) -> None:
    broken = "# B\n\n[page](lost.md)\n\n[heading](a.md#lost)\n\n![picture](lost.png)\n"
    done = build(repository(tmp_path, b=broken), tmp_path / "out")
    assert done.returncode == 1
    lines = sorted(re.findall(r"source/(b\.md:\d+): WARNING: ([^\n]*)", done.stderr))
    assert [line for line, _ in lines] == ["b.md:3", "b.md:5", "b.md:7"], done.stderr
    assert ["lost.md" in lines[0][1], "'lost'" in lines[1][1], "lost.png" in lines[2][1]] == [True] * 3


@pytest.mark.thorough
def test_without_it_the_same_pages_are_built(tmp_path: Path) -> None:
    done = build(
        repository(tmp_path, **{"tutorial": "# Tutorial\n", "how-to/gate": "# Gate\n\n[up](../a.md)\n"}),
        tmp_path / "out",
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    home = (tmp_path / "out" / "index.html").read_text()
    assert re.findall(r'class="caption-text">([^<]+)', home) == ["Start", "How to", "Reports and gates", "Project"]
    assert re.findall(r'<a class="reference internal" href="([^"#]+)"', home)[:4] == [
        "tutorial.html",
        "how-to/gate.html",
        "a.html",
        "repository/CHANGELOG.html",
    ]


@pytest.mark.thorough
def test_the_site_has_every_page_asks_no_other_host_and_is_the_same_each_time(tmp_path: Path) -> None:
    sites = []
    for seed in ("1", "2"):
        done = build(ROOT, tmp_path / seed / "site", seed)
        assert (done.returncode, done.stderr) == (0, "")
        sites.append(tmp_path / seed / "site")
    pages = [path.relative_to(ROOT / "docs").with_suffix(".html") for path in (ROOT / "docs").rglob("*.md")]
    assert [page for page in pages if not (sites[0] / page).is_file()] == []
    assert [page for page in sites[0].rglob("*.html") if REMOTE.search(page.read_bytes())] == []
    assert (sites[0] / "searchindex.js").is_file()
    files = [
        {path.relative_to(site): path.read_bytes() for path in site.rglob("*") if path.is_file()} for site in sites
    ]
    assert files[0].keys() == files[1].keys()
    assert [name for name, content in files[0].items() if files[1][name] != content] == []
