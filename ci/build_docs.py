"""Build the documentation site from docs/ and from what its pages link to elsewhere in the repository.

Pages are plain Markdown with relative links, as a Git host shows them. The site has docs/ at its top and the rest below
repository/, so that pages are copied first, with the links between the two rewritten. Sphinx then fails for a link to
what is not there, be it a page, a heading or a file.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
from pathlib import Path, PurePosixPath

from sphinx.cmd.build import build_main

ROOT = Path(__file__).parents[1]
DOCS = "docs"
HOME = "docs/index.md"
README = "README.md"
"""The first page of a Git host, whose place on the site is taken by its own."""

ELSEWHERE = ("CHANGELOG.md", "CONTRIBUTING.md", "ci/README.md")
"""Pages of the site that are not in docs/."""

_LINK = re.compile(r"(?P<label>!?\[(?:[^\[\]]|\[[^\[\]]*\])*\])\((?P<target>[^()\s#]+)(?P<anchor>#[^()\s]*)?\)")
_HAS_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:")


def place_on_site(path: str) -> str:
    """Return where a file of the repository is on the site; both are paths with slashes from their tops."""
    if path == README:
        path = HOME
    return path.removeprefix(f"{DOCS}/") if path.startswith(f"{DOCS}/") else f"repository/{path}"


def with_links_of_site(text: str, page: str, root: Path) -> tuple[str, set[str]]:
    """Return the text of a page of the repository with the links of the site, and the files that they lead to.

    A folder has no page: a link to one becomes its text. A link to what is not there stays, and Sphinx refuses it.
    """
    linked = set()

    def rewritten(found: re.Match[str]) -> str:
        target, anchor = found["target"], found["anchor"] or ""
        if _HAS_SCHEME.match(target):
            return found[0]
        path = os.path.normpath(PurePosixPath(page).parent / target)
        if (root / path).is_dir():
            return found["label"][1:-1]
        if not (root / path).is_file():
            return found[0]
        if path != README:
            linked.add(path)
        near = os.path.relpath(place_on_site(path), PurePosixPath(place_on_site(page)).parent)
        return f"{found['label']}({near}{anchor})"

    return _LINK.sub(rewritten, text), linked


def stage(root: Path, source: Path) -> None:
    """Write what Sphinx reads into the folder `source`, which is emptied first."""
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(root / DOCS, source, ignore=shutil.ignore_patterns("conf.py", "_static", "__pycache__"))
    pages = [path.relative_to(root).as_posix() for path in sorted((root / DOCS).rglob("*.md"))]
    pages += [path for path in ELSEWHERE if (root / path).is_file()]
    others: set[str] = set()
    for page in pages:
        text, linked = with_links_of_site((root / page).read_text(encoding="utf-8"), page, root)
        others |= linked - set(pages)
        _file(source, page).write_text(text, encoding="utf-8")
    for path in sorted(others):
        if not path.startswith(f"{DOCS}/"):
            shutil.copyfile(root / path, _file(source, path))


def _file(source: Path, path: str) -> Path:
    """Return where a file of the repository is staged, in a folder that is there."""
    file = source / place_on_site(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    return file


def build(root: Path, out: Path, work: Path) -> int:
    """Build the site of a repository into the folder `out`, which is replaced; return Sphinx's exit code.

    `work` is a folder for what Sphinx reads and keeps. Warnings, such as of broken links, are errors.
    """
    source = work / "source"
    stage(root, source)
    shutil.rmtree(out, ignore_errors=True)
    strict = ["--fail-on-warning", "--keep-going", "--nitpicky", "--quiet", "--fresh-env", "--no-color"]
    places = ["--doctree-dir", work / "doctrees", "--conf-dir", root / DOCS, source, out]
    return build_main(["--builder", "html", *strict, *map(str, places)])


def main() -> None:
    """Build the site of a repository, this one by default."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, help="folder of the site, which is replaced")
    parser.add_argument("--root", type=Path, default=ROOT, help="the repository")
    given = parser.parse_args()
    sys.exit(build(given.root, given.out, given.out.with_name(f"{given.out.name}-work")))


if __name__ == "__main__":
    main()
