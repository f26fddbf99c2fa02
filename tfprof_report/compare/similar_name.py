"""Finds the name that a mistyped one may stand for, among as many as a model has."""

from __future__ import annotations

import difflib
from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

_SIMILAR = 0.6
_COMPARED = 50
"""Names that are compared letter by letter: those with the most letters in common."""

_LONGEST = 500
"""Letters of a name beyond which nobody types it."""


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
