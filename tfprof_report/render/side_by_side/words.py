"""What is said of reports side by side, in sentences that every format shares."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tfprof_report.errors import one_line
from tfprof_report.formatting import COMMIT_DIGITS, called, in_a_sentence, label_of, plural
from tfprof_report.schema.index_columns import FIGURES
from tfprof_report.side_by_side.build import SideBySide
from tfprof_report.side_by_side.counted_otherwise import Otherwise
from tfprof_report.side_by_side.differences import Standing
from tfprof_report.side_by_side.front import Front
from tfprof_report.side_by_side.report_column import Column

_NAMED = 6
"""Most models that a sentence names."""

NO_DIFFERENCE = {
    Standing.OTHERWISE: "counted otherwise: no difference",
    Standing.UNKNOWN: "",
    Standing.LOWER_BOUND: "a part is unknown: no difference",
    Standing.FIRST_UNKNOWN: "unknown in the first: no difference",
    Standing.FIRST_LOWER_BOUND: "a part is unknown in the first: no difference",
}
"""Why a figure has no difference; what is unknown says so itself."""


def listed(words: Sequence[str]) -> str:
    """Return ``a, b and c``."""
    *most, last = words
    return f"{', '.join(most)}{' and ' if most else ''}{last}"


def names_of(columns: Sequence[Column], places: Iterable[int], *, most: int = _NAMED) -> str:
    """Return the names of some columns, the first few of many."""
    names = [called(columns[place].name) for place in places]
    more = [f"{len(names) - most:,} more"] if len(names) > most else []
    return listed([*names[:most], *more])


def figures_words(stems: Iterable[str]) -> str:
    """Return the labels of figures in a sentence: ``FLOPs, parameters and wall time``."""
    return listed([in_a_sentence(label_of(stem)) for stem in stems])


def headline(result: SideBySide) -> str:
    """Return what was compared."""
    others = plural(len(result.columns) - 1, "report")
    return f"{others} compared with {called(result.columns[0].name)}"


def reason(result: SideBySide) -> str:
    """Return how many figures were compared, and which models are on the front."""
    words = [_counts(result)]
    if front := front_words(result.columns, result.fronts.whole):
        words.append(front)
    return " ".join(words)


def _counts(result: SideBySide) -> str:
    nothing = [place for place, count in enumerate(result.compared) if count == 0]
    if result.empty:
        return f"There are no nodes in {names_of(result.columns, result.empty)}."
    if nothing:
        return f"No figure can be compared of {names_of(result.columns, nothing)}."
    counts = [count for count in result.compared if count is not None]
    low, high = min(counts), max(counts)
    many = plural(high, "figure") if low == high else f"{low:,} to {high:,} figures"
    return f"{many}{' of each' if len(counts) > 1 else ''} compared."


def front_words(columns: Sequence[Column], front: Front) -> str:
    """Return which models no other model beats in the figures of a front; empty if it has no figures."""
    if not front.stems:
        return ""
    lacking = len(columns) - len(front.judged)
    but = f" {plural(lacking, 'model')} cannot be on it: a figure is unknown or counted otherwise." if lacking else ""
    if not front.on:
        return f"No model has all of {figures_words(front.stems)}, so there is no front of all of them."
    return f"No other model beats {names_of(columns, front.on)} in {figures_words(front.stems)}.{but}"


def lacking_words(result: SideBySide, number: int, stems: Sequence[str]) -> str:
    """Return why figures of a column cannot be used for a front."""
    apart = frozenset[str]().union(*(each.stems for each in result.otherwise[number]))
    known = [stem for stem in stems if stem in apart and result.columns[number].known(stem)]
    unknown = [stem for stem in stems if stem not in known]
    found = {"unknown": unknown, "counted otherwise": known}
    return "; ".join(f"{figures_words(those)} {what}" for what, those in found.items() if those)


def otherwise_words(result: SideBySide) -> Iterator[str]:
    """Yield a sentence for each way in which columns are counted otherwise, then which have the same input files."""
    ways: dict[tuple[str, str], list[int]] = {}
    same: dict[int, list[int]] = {}
    for number, (otherwise, first) in enumerate(zip(result.otherwise, result.same_as, strict=True)):
        for each in otherwise:
            ways.setdefault((each.words, _concerned(each)), []).append(number)
        if first is not None:
            same.setdefault(first, []).append(number)
    for (words, concerned), places in ways.items():
        verb = "is" if len(places) == 1 else "are"
        yield one_line(f"{names_of(result.columns, places)} {verb} counted {words}: {concerned}.")
    for first, places in same.items():
        verb = "has" if len(places) == 1 else "have"
        yield f"{names_of(result.columns, places)} {verb} the same input files as {called(result.columns[first].name)}."


def _concerned(otherwise: Otherwise) -> str:
    if not otherwise.stems:
        return "another part of the model is compared"
    if len(otherwise.stems) == len(FIGURES):
        return "no figure is subtracted"
    return f"{figures_words(stem for stem in FIGURES if stem in otherwise.stems)} are not subtracted"


def unused_words(stems: Sequence[str]) -> str:
    """Return which figures no front uses; empty if it uses all."""
    if not stems:
        return ""
    return f"No model has {figures_words(stems)} that could be used, so the front is without."


def short_digest(text: str | None) -> str:
    """Return the beginning of a commit's id or of the digest of inputs; empty if it is not known."""
    return (text or "")[:COMMIT_DIGITS]
