"""Links between pages lead to files and headings that are there, and words of the glossary are linked."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from glossary_links import GLOSSARY, anchor_of, missing_links, pages, terms
from repository import ROOT

ALL = [*pages(), GLOSSARY, *(ROOT / name for name in ("CHANGELOG.md", "CONTRIBUTING.md", "ci/README.md"))]
CODE = re.compile(r"^ *```.*?^ *```$|`[^`\n]*`", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s]+)\)|(?:src|srcset)=\"([^\"]+)\"")


def anchors(page: Path) -> set[str]:
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    headings = (
        re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", found) for found in re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    )
    return set(map(anchor_of, headings))


@pytest.mark.parametrize("page", ALL, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    targets = [first or second for first, second in LINK.findall(CODE.sub("", page.read_text()))]
    wrong = []
    for target in targets:
        if target.startswith(("https://", "http://", "mailto:")):
            continue
        name, _, anchor = target.partition("#")
        path = (page.parent / name).resolve() if name else page
        if not path.exists() or (anchor and anchor not in anchors(path)):
            wrong.append(target)
    assert wrong == []


def test_every_page_is_found_from_the_readme() -> None:
    seen, todo = set(), [ROOT / "README.md"]
    while todo:
        page = todo.pop()
        seen.add(page)
        links = (first.partition("#")[0] for first, _ in LINK.findall(page.read_text()))
        found = {(page.parent / link).resolve() for link in links if link.endswith(".md")}
        todo += [path for path in found - seen if path.exists() and path not in todo]
    of_the_site = {ROOT / "docs" / "index.md", *(ROOT / "docs" / "reference").rglob("*.md")}  # it has a menu of its own
    assert set((ROOT / "docs").rglob("*.md")) - seen - of_the_site == set()


def test_the_glossary_is_in_order_and_each_of_its_words_is_linked() -> None:
    assert terms() == sorted(terms(), key=str.lower)
    text = "".join(page.read_text() for page in pages())
    assert [term for term in terms() if f"glossary.md#{anchor_of(term)})" not in text] == []


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_a_word_of_the_glossary_is_linked_where_a_page_uses_it_first(page: Path) -> None:
    missing = [f"line {use.line + 1}: {use.term}" for use in missing_links(page)]
    assert missing == [], "ci/glossary_links.py --write makes these links"
