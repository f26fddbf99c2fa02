"""--report-url and --commit-url: what pages, Markdown and comments link to."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import call, small_model

URLS = ("--report-url", "https://ci.example.com/7", "--commit-url", "https://example.com/r/commit/{commit}")
COMMITS = ("--commit", "b" * 40, "--base-commit", "a" * 40)


@pytest.fixture
def sides(tmp_path: Path) -> tuple[Path, Path]:
    return small_model(tmp_path / "base"), small_model(tmp_path / "head", width=5)


def test_page_markdown_and_comment_link_to_commits_and_to_the_report(sides: tuple[Path, Path], tmp_path: Path) -> None:
    out = tmp_path / "o"
    assert call("diff", *sides, "--out", out, *URLS, *COMMITS, "--comment", tmp_path / "comment").code == 0
    for file in (out / "report.html", out / "report.md", tmp_path / "comment"):
        text = file.read_text()
        for commit in "ab":
            assert f"https://example.com/r/commit/{commit * 40}" in text, file
        assert "https://ci.example.com/7" in text, file


def test_an_index_of_models_links_too(sides: tuple[Path, Path], tmp_path: Path) -> None:
    models = ("--model", f"m={sides[1]}", "--base-model", f"m={sides[0]}", *URLS, *COMMITS)
    assert call("report", *models, "--out", tmp_path / "o").code == 0
    for name in ("report.html", "report.md", "m/report.html"):
        text = (tmp_path / "o" / name).read_text()
        assert f"https://example.com/r/commit/{'b' * 40}" in text, name
        assert "https://ci.example.com/7" in text, name


@pytest.mark.parametrize("option", ["--report-url", "--commit-url"])
def test_what_is_no_address_is_a_usage_error_before_anything_is_read(option: str, tmp_path: Path) -> None:
    outcome = call("diff", tmp_path, tmp_path, "--out", tmp_path / "o", option, "javascript:alert('{commit}')")
    assert outcome.code == 2
    assert outcome.error == (
        f"{option} \"javascript:alert('{{commit}}')\": is not an address of http or https, with a host and without a "
        "user name; write https://, the host and the path"
    )


def test_a_rules_file_is_named_in_the_error(sides: tuple[Path, Path], tmp_path: Path) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text('[output]\ncommit_url = "https://example.com/"')
    outcome = call("diff", *sides, "--out", tmp_path / "o", "--config", rules)
    assert outcome.code == 2
    assert outcome.error.startswith(f'{rules}: --commit-url "https://example.com/": has no place')
