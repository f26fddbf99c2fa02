"""--max-chars: report.md stays within the limit of the host that shows it."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import call, write_report
from repository import DATA

RESNET = DATA / "resnet"


@pytest.mark.thorough
@pytest.mark.parametrize("limit", [1000, 60_000])
def test_the_markdown_keeps_within_its_limit_and_names_what_is_left_out(tmp_path: Path, limit: int) -> None:
    asked = ("--gate", "params <= +0", "--max-chars", limit)
    assert call("diff", RESNET / "base", RESNET / "head", "--out", tmp_path, *asked).code == 1
    text = (tmp_path / "report.md").read_text()
    assert len(text) <= limit
    assert text.splitlines()[2].startswith("**\N{MULTIPLICATION X} Do not merge yet: the gate fails.** ")
    assert ("Left out for length: " in text) is (limit < 60_000)
    assert ("are left out (" in text) is (limit == 60_000)  # only tables that are there have rows left out


@pytest.mark.thorough
def test_without_a_limit_all_parts_are_there(tmp_path: Path) -> None:
    text = (write_report(RESNET / "head", tmp_path / "o") / "report.md").read_text()
    assert "<summary>Glossary</summary>" in text
    assert "Left out for length" not in text


@pytest.mark.thorough
def test_several_models_keep_within_it_each_and_together(tmp_path: Path) -> None:
    models = [argument for name in ("one", "two") for argument in ("--model", f"{name}={RESNET / 'head'}")]
    assert call("report", *models, "--out", tmp_path / "o", "--max-chars", 1500).code == 0
    sizes = [len((folder / "report.md").read_text()) for folder in (tmp_path / "o", *(tmp_path / "o").glob("*/"))]
    assert len(sizes) == 3
    assert max(sizes) <= 1500


@pytest.mark.parametrize("limit", ["999", "0", "-5"])
def test_a_limit_too_low_for_the_verdict_is_refused(tmp_path: Path, limit: str) -> None:
    outcome = call("report", RESNET / "head", "--out", tmp_path / "o", "--max-chars", limit)
    assert outcome.code == 2
    assert outcome.error == f"--max-chars: {limit} is too few for the verdict; give 1000 or more"
    assert not (tmp_path / "o").exists()
