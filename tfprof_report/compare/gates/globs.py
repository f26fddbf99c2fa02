"""Finds the names of a model that a user means: those that a glob matches, and the one most like a mistyped name.

A glob is over names with segments, such as ``encoder/*/kernel``. It becomes RE2 over a column, never row by row.
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
    "**/": "(?:.*/)?",  # at the start: any number of segments, also none
    "/**/": "/(?:.*/)?",
    "/**": "/.+",  # at the end: all that is below, and not the name itself
    "**": ".*",
    "*": "[^/]*",
    "?": "[^/]",
}

_SIMILAR = 0.6
_COMPARED = 50
"""Names that are compared letter by letter: those with the most letters in common."""

_LONGEST = 500
"""Letters of a name beyond which nobody types it."""


def to_pattern(glob: str) -> str:
    """Return the RE2 pattern of a glob over whole names.

    ``*`` matches within a segment, ``**`` across segments, ``?`` one character of a segment, ``[ab]``, ``[a-z]`` and
    ``[!a]`` one character that is (is not) listed. ``a/**`` is all that is below ``a``, and not ``a``; ``**/a`` is
    every ``a``, also at the top. All else stands for itself.
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
        raise OptionError("the glob is empty", option=option, advice="** is every name")
    if "[" in _PART.findall(glob):
        raise OptionError(
            f'a "[" of the glob "{glob}" has no "]"', option=option, advice='write "[[]" for the character'
        )
    if not patterns.is_valid(to_pattern(glob)):
        raise OptionError(f'the glob "{glob}" cannot be read', option=option, advice="check what stands in [ ]")


def matches(names: pa.Array | pa.ChunkedArray, glob: str) -> Bools:
    """Return which of `names` the glob matches."""
    return patterns.matches(names, to_pattern(glob))


def literal(name: str) -> str:
    """Return the glob that matches this name alone; the name is not empty."""
    if name.isspace():  # a glob of blanks alone looks empty
        return "".join(f"[{ch}]" for ch in name)
    return re.sub(r"[*?\[]", r"[\g<0>]", name)


def similar_name(name: str, names: pa.Array) -> str | None:
    """Return the one of `names` that is most like `name`, None if none is: by `difflib.SequenceMatcher.ratio`.

    Its upper bound, which asks only how often each letter is there, is worked out for all names at once.
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
