"""The tags of a repository by their commits, as git lists them."""

from __future__ import annotations

import re

from tfprof_report.errors import InputError
from tfprof_report.report.git_lines import git_lines

_OPTION = "--tags"
_SHOW_REF = "write it with git show-ref --tags --dereference"
_LINE = re.compile(r"([0-9a-f]{4,64})\s+(\S+)", re.ASCII | re.IGNORECASE)
_TAGS, _REFS = "refs/tags/", "refs/"
_DEREFERENCED = "^{}"


def parse_tags(data: bytes, file: str) -> dict[str, tuple[str, ...]]:
    """Return the names of the tags of each commit, in the order of the list; empty if there are no tags.

    A line has an object and a tag, with or without ``refs/tags/``. Of an annotated tag ``git show-ref --dereference``
    lists the object of the tag itself and then, with ``^{}`` after the name, its commit, which is the one that counts.
    Branches and other references are left aside.

    Raises
    ------
    InputError
        The content is not such a list.
    """
    commits: dict[str, str] = {}
    for number, line in enumerate(git_lines(data, file=file, option=_OPTION, advice=_SHOW_REF), start=1):
        found = _LINE.fullmatch(line.strip())
        if found:
            commit, name = found.groups()
            if name.startswith(_TAGS) or not name.startswith(_REFS):
                tag = name.removeprefix(_TAGS)
                if tag.endswith(_DEREFERENCED):
                    commits[tag.removesuffix(_DEREFERENCED)] = commit.lower()
                else:
                    commits.setdefault(tag, commit.lower())
        elif line.strip():
            problem = f"line {number:,} is not a commit and a tag"
            raise InputError(problem, file=file, option=_OPTION, advice=_SHOW_REF)
    tags: dict[str, tuple[str, ...]] = {}
    for name, commit in commits.items():
        tags[commit] = (*tags.get(commit, ()), name)
    return tags
