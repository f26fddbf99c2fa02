"""Write the pages of docs/reference from the code that they describe, or say which of them differ from it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from reference_pages.described_columns import UndescribedError
from reference_pages.pages import reference_pages

FOLDER = Path(__file__).parents[1] / "docs" / "reference"


def differing(folder: Path, pages: dict[str, str]) -> list[str]:
    """Return the pages in a folder that differ from `pages`: another text, none, or one that is no longer made."""
    there = {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in folder.rglob("*.md")}
    return sorted(name for name in there.keys() | pages.keys() if there.get(name) != pages.get(name))


def write(folder: Path, pages: dict[str, str]) -> None:
    """Write `pages` into a folder, and remove other pages from it."""
    for name in differing(folder, pages):
        path = folder / name
        if name in pages:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(pages[name], encoding="utf-8")
        else:
            path.unlink()


def main() -> None:
    """Write the pages, or compare them; end with an error in one line if they differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    given = parser.parse_args()
    try:
        pages = reference_pages()
    except UndescribedError as problem:
        sys.exit(f"docs: {problem}; describe the columns as they are")
    if not given.check:
        write(FOLDER, pages)
    elif names := differing(FOLDER, pages):
        sys.exit(
            f"docs/reference: {', '.join(names)} differ from the code; run make reference and commit what it writes"
        )


if __name__ == "__main__":
    main()
