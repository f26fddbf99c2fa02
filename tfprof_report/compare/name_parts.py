"""Names cut at their slashes: every beginning and every end of a name as a number, so that comparing them is cheap."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.ingest.arrays import Ints, list_offsets, list_values, take_ranges, to_ints

MAX_PARTS = 50
"""Parts of a name that are looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NameParts:
    """The parts of n names. Equal numbers mean equal texts, to the byte.

    starts, lengths : n each; the place of a name's first part in `prefix` and `suffix`, and how many parts it has
    is_whole : n truth values; a name with more than `MAX_PARTS` has the first of them alone, so no true suffix
    prefix : per part the number of the name from its first part to this one; 0 stands for the empty prefix
    suffix : per part the number of the name from this one to its last; 0 stands for the empty suffix
    """

    starts: Ints
    lengths: Ints
    is_whole: npt.NDArray[np.bool_]
    prefix: Ints
    suffix: Ints

    def places(self, rows: Ints) -> Ints:
        """Return the places of all parts of some names."""
        return take_ranges(self.starts[rows], self.lengths[rows])

    def prefix_at(self, rows: Ints, cut: Ints) -> Ints:
        """Return the prefix of each name's first `cut` parts."""
        found: Ints = np.where(cut > 0, self.prefix[self.starts[rows] + np.maximum(cut, 1) - 1], 0)
        return found

    def suffix_at(self, rows: Ints, cut: Ints) -> Ints:
        """Return what each name has behind its first `cut` parts."""
        last = self.lengths[rows] - 1
        found: Ints = np.where(cut <= last, self.suffix[self.starts[rows] + np.minimum(cut, last)], 0)
        return found


def cut_names(names: pa.Array) -> NameParts:
    """Return the parts of names."""
    lists = pc.split_pattern(names, "/")
    offsets, values = list_offsets(lists), list_values(lists)
    starts, counts = offsets[:-1], np.diff(offsets)
    lengths = np.minimum(counts, MAX_PARTS)
    codes = to_ints(values.dictionary_encode().indices)
    return NameParts(
        starts=starts,
        lengths=lengths,
        is_whole=counts <= MAX_PARTS,
        prefix=_number(codes, starts, lengths, step=1),
        suffix=_number(codes, starts + lengths - 1, lengths, step=-1),
    )


def _number(codes: Ints, starts: Ints, lengths: Ints, *, step: int) -> Ints:
    """Return per part the number of all parts from the start to it: that of the parts before it, and its own."""
    numbers = np.zeros(len(codes), dtype=np.int64)
    different = int(codes.max(initial=0)) + 1
    rows, before, count = np.arange(len(starts)), np.zeros(len(starts), dtype=np.int64), 1
    for level in range(int(lengths.max(initial=0))):
        longer = lengths[rows] > level
        rows, before = rows[longer], before[longer]
        places = starts[rows] + step * level
        found, distinct = pd.factorize(before * different + codes[places])
        before = found + count
        numbers[places] = before
        count += len(distinct)
    return numbers
