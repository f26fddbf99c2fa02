"""Matches names of a model: with globs, and by similarity to a mistyped name.

A glob such as ``encoder/*/kernel`` matches names by segments. It is translated to RE2 and applied to whole columns.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools
from tfprof_report.errors import OptionError
from tfprof_report.views import patterns

_PART = re.compile(r"^\*\*/|/\*\*/|/\*\*\Z|\*\*|\*|\?|\[!?\]?[^\]]*\]|.", re.DOTALL)
_MEANING = {
    "**/": "(?:.*/)?",  # at the start: any number of segments, including none
    "/**/": "/(?:.*/)?",
    "/**": "/.+",  # at the end: everything below, but not the name itself
    "**": ".*",
    "*": "[^/]*",
    "?": "[^/]",
}

_SIMILAR = 0.6
_COMPARED = 50
"""Number of names compared in full: those with the most letters in common."""

_LONGEST = 500
"""Maximum length of a name that may be a typing error."""


def to_pattern(glob: str) -> str:
    """Return the RE2 pattern of a glob over whole names.

    ``*`` matches within a segment, ``**`` across segments, ``?`` one character of a segment, ``[ab]``, ``[a-z]`` and
    ``[!a]`` one character that is (is not) listed. ``a/**`` matches everything below ``a``, but not ``a``; ``**/a``
    matches every ``a``, also at the top. Other characters match themselves.
    """
    parts = _PART.findall(glob)
    return f"(?s){''.join(_MEANING.get(part) or _set_or_literal(part) for part in parts)}"


def _set_or_literal(part: str) -> str:
    if len(part) == 1:
        return re.escape(part)
    is_negated = part.startswith("[!") and part != "[!]"
    listed, negation = (part[2:-1], "^/") if is_negated else (part[1:-1], "")
    escaped = re.sub(r"([\[\]\\^])", r"\\\1", listed)
    return f"[{negation}{escaped}]"


def check_glob(glob: str, *, option: str) -> None:
    """Raise OptionError unless `glob` can be matched."""
    if not glob:
        raise OptionError("the glob is empty", option=option, advice="** matches every name")
    if "[" in _PART.findall(glob):
        raise OptionError(
            f'a "[" of the glob "{glob}" has no "]"', option=option, advice='write "[[]" for the character'
        )
    if not patterns.is_valid(to_pattern(glob)):
        raise OptionError(f'the glob "{glob}" cannot be read', option=option, advice="check what is in [ ]")


def matches(names: pa.Array | pa.ChunkedArray, glob: str) -> Bools:
    """Return which of `names` the glob matches."""
    return patterns.matches(names, to_pattern(glob))


def literal(name: str) -> str:
    """Return the glob that matches only this name, which must not be empty."""
    if name.isspace():  # a glob of only blanks looks empty
        return "".join(f"[{ch}]" for ch in name)
    return re.sub(r"[*?\[]", r"[\g<0>]", name)


def similar_name(name: str, names: pa.Array) -> str | None:
    """Return the most similar of `names` by `difflib.SequenceMatcher.ratio`, None if none is similar enough.

    The ratio is slow, so an upper bound from letter counts, computed for all names at once, selects the candidates.
    """
    if not 0 < len(name) <= _LONGEST:
        return None
    common = np.zeros(len(names), dtype=np.int64)
    for letter, count in Counter(name).items():
        common += np.minimum(pc.count_substring(names, letter).to_numpy(), count)
    bound = 2 * common / (len(name) + pc.utf8_length(names).to_numpy())
    best = np.argsort(-bound, kind="stable")[:_COMPARED]
    candidates = names.take(pa.array(best[bound[best] >= _SIMILAR])).to_pylist()
    return next(iter(difflib.get_close_matches(name, candidates, n=1, cutoff=_SIMILAR)), None)
