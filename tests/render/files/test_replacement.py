"""New files below folders that are not there yet."""

from __future__ import annotations

from pathlib import Path

import pytest

from tfprof_report.render.files.replacement import Replacement


def staged(folder: Path, *paths: str) -> Replacement:
    replacement = Replacement(folder, ".state", lambda _: True)
    replacement.open()
    for path in paths:
        replacement.stage(path, [path.encode()])
    return replacement


def test_folders_are_made_outer_ones_first(tmp_path: Path) -> None:
    replacement = staged(tmp_path, "a/b/c/one", "a/two")
    replacement.commit([])
    replacement.close()
    assert {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()} == {"a/b/c/one", "a/two"}


def test_folders_that_were_made_in_vain_are_removed(tmp_path: Path) -> None:
    replacement = staged(tmp_path, "a/b/c/one", "two")
    (tmp_path / ".state" / "new" / "two").unlink()
    with pytest.raises(FileNotFoundError):
        replacement.commit([])
    replacement.close()
    assert list(tmp_path.iterdir()) == []
