"""tfprof's patterns: RE2 regexes that match the whole string, evaluated on columns by pyarrow."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, marks, to_ints
from tfprof_report.errors import OptionError
from tfprof_report.model.join.log_entries import type_pairs
from tfprof_report.model.node_table import NodeTable
from tfprof_report.options import MATCH_ALL
from tfprof_report.semantics import Semantics

_QUOTED_OR_ESCAPED = re.compile(r"\\Q.*?\\E|\\[^Q]", re.DOTALL)


_NOTHING = pa.array([""])


_LEAD = "Invalid regular expression: "


def is_valid(pattern: str) -> bool:
    """Return whether RE2 accepts a pattern by itself: ``a)|(b`` is invalid, although it would be valid in a group."""
    return _refusal(pattern) is None


def _refusal(pattern: str) -> str | None:
    """Return why RE2 does not accept a pattern, with the offending part; None if it does."""
    try:
        pc.match_substring_regex(_NOTHING, pattern)
    except pa.ArrowInvalid as error:
        reason, _, part = str(error).removeprefix(_LEAD).partition(": ")  # "Invalid regular expression: REASON: PART"
        return f'{reason} at "{part}"' if part not in ("", pattern) else reason
    return None


def check(patterns: Sequence[str], *, option: str) -> None:
    """Raise OptionError for the first invalid pattern."""
    for pattern in patterns:
        reason = _refusal(pattern)
        if reason is not None:
            raise OptionError(
                f'"{pattern}" is not a valid regex: {reason}',
                option=option,
                advice="use RE2 syntax, which has no look-around and no back references",
            )


def matches(strings: pa.Array | pa.ChunkedArray, pattern: str) -> Bools:
    """Return which strings `pattern` matches as a whole; an invalid pattern matches nothing."""
    if not is_valid(pattern):
        return np.zeros(len(strings), dtype=bool)
    # RE2's \Q quotes up to \E; if the pattern leaves it open, it would quote the end of the group as well.
    close = r"\E" if r"\Q" in _QUOTED_OR_ESCAPED.sub("", pattern) else ""
    found = pc.match_substring_regex(strings, f"^(?:{pattern}{close})$")
    result: Bools = found.to_numpy(zero_copy_only=False)
    return result


def matches_any(strings: pa.Array | pa.ChunkedArray, patterns: Sequence[str]) -> Bools:
    """Return which strings match at least one pattern."""
    result = np.zeros(len(strings), dtype=bool)
    for pattern in patterns:
        result |= matches(strings, pattern)
    return result


def is_wanted(strings: pa.Array | pa.ChunkedArray, patterns: Sequence[str]) -> Bools:
    """Return which strings match at least one pattern; a single ``.*`` matches all, even a string with a newline.

    tfprof has this shortcut for show, start and account patterns, but not for trim and hide patterns, where ``.`` does
    not match a newline.
    """
    if tuple(patterns) == MATCH_ALL:
        return np.ones(len(strings), dtype=bool)
    return matches_any(strings, patterns)


def count_type_matches(table: NodeTable, patterns: Sequence[str], semantics: Semantics) -> Ints:
    """Return per node how many of `patterns` match at least one of its types; 1 for all if the only one is ``.*``."""
    if tuple(patterns) == MATCH_ALL:
        return np.ones(table.count, dtype=np.int64)
    device = table.canonical_device if semantics.first_device_wins else table.column("run_devices")
    node, types = type_pairs([table.ops, device, table.log_types])
    codes = types.dictionary_encode()  # match each distinct type once
    type_of_pair = to_ints(codes.indices)
    matched = np.zeros(table.count, dtype=np.int64)
    for pattern in patterns:
        hits = matches(codes.dictionary, pattern)[type_of_pair]
        is_matched = marks(node[hits], len(matched))
        matched += is_matched
    return matched
