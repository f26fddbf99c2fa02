"""Where the drift gates of a policy start: a commit of a list, by itself or by a tag, or an age."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from tfprof_report.clock import parse_age
from tfprof_report.compare.gates.policy import Gate
from tfprof_report.errors import OptionError
from tfprof_report.formatting import COMMIT_DIGITS, plural
from tfprof_report.record import record
from tfprof_report.report.store.commits import ABBREVIATED, Commits, places_meant
from tfprof_report.report.store.place import Place


@record
class Past:
    """Where the reports of earlier commits are.

    model : the name of the model in the store
    commits : those that lead to head, the nearest first
    tags : the names of tags by commit; None where no file has them
    """

    place: Place
    model: str
    commits: Commits
    tags: Mapping[str, tuple[str, ...]] | None = None


def start_of(gate: Gate, commits: Commits, tags: Mapping[str, tuple[str, ...]] | None) -> int | timedelta | None:
    """Return the place of the commit that a drift gate starts at, or its age; None for one against the best figure.

    What is written is the name of a tag, else a commit or its first digits, at least seven, else an age.

    Raises
    ------
    OptionError
        It is none of them, or the commit is not in the list.
    """
    if gate.reference is None or gate.reference.is_best:
        return None
    text, option = gate.reference.text, written(gate)
    found = places_meant(text, commits, tags or {})
    if len(found) > 1:
        raise OptionError(f"{text} means {plural(len(found), 'commit')}", option=option, advice="give more digits")
    if found:
        return found[0]
    tagged = next((commit for commit, names in (tags or {}).items() if text in names), None)
    if tagged or ABBREVIATED.fullmatch(text):
        what = f"the tag {text} is of commit {tagged[:COMMIT_DIGITS]}, which" if tagged else f"the commit {text}"
        advice = "in a shallow clone the list is short, fetch more of the history"
        raise OptionError(f"{what} is not in the list of ancestors", option=option, advice=advice)
    try:
        return parse_age(text, option=option)
    except OptionError as error:
        advice = "write since v1.2 or since 30d" if tags is not None else "tags are read from --tags FILE"
        raise OptionError(f"{text} is no tag, no commit and no age", option=option, advice=advice) from error


def place_of(commit: str | None, commits: Commits) -> int | None:
    """Return the place of a commit in a list, which it may abbreviate; None if it is not in it."""
    if commit in commits.ids:
        return commits.ids.index(commit)
    found = [place for place, each in enumerate(commits.ids) if commit and each.startswith(commit)]
    return found[0] if found and commit and ABBREVIATED.fullmatch(commit) else None


def written(gate: Gate) -> str:
    """Return where a gate was written and its text, for error messages."""
    return f'{gate.source} "{gate.text}"'
