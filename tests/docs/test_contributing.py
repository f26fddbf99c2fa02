"""CONTRIBUTING.md names files and words that are there, and the layout is what it says."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from repository import ROOT

PACKAGE = ROOT / "tfprof_report"
TEXT = (ROOT / "CONTRIBUTING.md").read_text()
QUOTED = re.findall(r"`([^`\n]+)`", TEXT)
PATHS = sorted({name for name in QUOTED if re.fullmatch(r"[\w.]+(/[\w.-]+)*/?", name) and ("/" in name or "." in name)})
WRITTEN = {"fc/MatMul", "graph.pb", "nodes.parquet", "summary.json", "verdict.Outcome.worst", "job.run"}
"""Names in a user's model and report, and functions with their module."""
MODULES = sorted(path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py"))


@pytest.mark.parametrize("name", [name for name in PATHS if name not in WRITTEN])
def test_every_file_and_folder_that_is_named_exists(name: str) -> None:
    assert (ROOT / name).exists() or (PACKAGE / name).exists() or (PACKAGE / f"{name}.py").exists()


@pytest.mark.parametrize("word", sorted({word for word in QUOTED if re.fullmatch(r"_?[A-Za-z][A-Za-z_]+", word)}))
def test_every_name_that_is_quoted_is_in_the_code(word: str) -> None:
    pattern = re.compile(rf"\b{re.escape(word)}\b")
    assert (
        (PACKAGE / word).is_dir()
        or any(pattern.search((PACKAGE / module).read_text()) for module in MODULES)
        or word in {"MatMul", "fc"}
    )


def test_every_package_is_in_the_picture() -> None:
    picture = TEXT.split("## The packages", 1)[1].split("```")[1]
    words = set(re.findall(r"\w+", picture))
    folders = {path.parts[0] for path in MODULES if len(path.parts) > 1}
    assert folders <= words


def test_tests_mirror_the_package() -> None:
    apart = {"browser", "data", "docs", "helpers", "javascript", "packaging"}
    folders = {path.parent.relative_to(ROOT / "tests") for path in (ROOT / "tests").rglob("test_*.py")}
    assert [str(folder) for folder in folders if folder.parts[:1] not in [(name,) for name in apart]
            and not (PACKAGE / folder).is_dir()] == []  # fmt: skip
    covered = {folder.parts[0] for folder in folders if folder.parts}
    assert {path.parts[0] for path in MODULES if len(path.parts) > 1} <= covered


def test_no_module_or_folder_is_too_large_and_names_do_not_recur() -> None:
    long = [str(path) for path in MODULES if len((PACKAGE / path).read_text().splitlines()) > 400]
    full = [str(folder) for folder, count in Counter(path.parent for path in MODULES).items() if count > 21]
    names = Counter(path.name for path in MODULES)
    recurring = [name for name, count in names.items() if count > 1 and name != "__init__.py"]
    assert (long, full) == ([], [])
    assert len(recurring) <= 5, recurring


def test_the_page_is_found_from_the_readme() -> None:
    assert "(CONTRIBUTING.md)" in (ROOT / "README.md").read_text()
    assert Path(ROOT, "CONTRIBUTING.md").stat().st_size < 20_000
