"""The batch of inputs that the graph leaves open: which placeholders have one, and what is assumed for it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, distinct, to_bools
from tfprof_report.errors import OptionError
from tfprof_report.model.graph.data_types import HANDLES, RESOURCE
from tfprof_report.model.shapes.padded import Shapes

OPTION = "--batch"
UNKNOWN = "unknown"
_LARGEST = 2**40
_SHOWN = 3

PLACEHOLDERS = ("Placeholder", "PlaceholderV2", "PlaceholderWithDefault")


@dataclass(frozen=True, slots=True)
class Batch:
    """The size that counts for an open batch; None if none is assumed.

    is_given : the user asked for this size, so that another one in the inputs is an error
    """

    size: int | None = 1
    is_given: bool = field(default=False, compare=False)

    @property
    def word(self) -> int | str:
        """The value of the option."""
        return UNKNOWN if self.size is None else self.size


ASSUMED, OPEN_BATCH = Batch(1), Batch(None)
"""The default of reports, and of what counts as the native tool does."""


def parse_batch(text: str | int) -> Batch:
    """Parse the value of ``--batch``.

    Raises
    ------
    OptionError
        It is neither a whole number above 0 nor ``unknown``.
    """
    word = str(text).strip()
    if word == UNKNOWN:
        return Batch(None, is_given=True)
    if not re.fullmatch("[0-9]{1,13}", word, re.ASCII) or not 0 < int(word) <= _LARGEST:
        raise OptionError(f'"{text}" is not a batch', option=OPTION, advice=f"write a number such as 8, or {UNKNOWN}")
    return Batch(int(word), is_given=True)


def placeholders_of(nodes: pa.Table) -> Bools:
    """Return which nodes are placeholders of data, not of a variable or another resource."""
    is_one = to_bools(pc.is_in(nodes["op"].cast(pa.string()), value_set=pa.array(PLACEHOLDERS)))
    if "dtype" not in nodes.column_names:  # a profile has no types
        return is_one
    return is_one & ~to_bools(pc.fill_null(pc.is_in(nodes["dtype"], value_set=pa.array(HANDLES)), fill_value=False))


def variable_handles(nodes: pa.Table) -> Bools:
    """Return which nodes are placeholders of the handle of a variable, as in the graph of a ``tf.function``."""
    if "dtype" not in nodes.column_names:
        return np.zeros(nodes.num_rows, dtype=bool)
    is_handle = pc.fill_null(pc.equal(nodes["dtype"], RESOURCE), fill_value=False)
    return to_bools(pc.and_(pc.equal(nodes["op"].cast(pa.string()), "Placeholder"), is_handle))


def is_open_batch(shapes: Shapes) -> Bools:
    """Return which shapes have a first size as their only open one."""
    first = shapes.dims[:, 0]
    rest = Shapes(shapes.rank, np.where(np.arange(shapes.dims.shape[1]) == 0, 1, shapes.dims))
    is_open: Bools = (shapes.rank > 0) & (first < 0) & rest.is_full
    return is_open


def settle_batch(batch: Batch, given: Ints, at_run: Ints, *, varies: bool, names: Sequence[str]) -> int | None:
    """Return the batch to count with; None if there is none to assume.

    Parameters
    ----------
    given : first sizes that the user gave for inputs whose first size is open; they hold for other inputs too
    at_run : sizes of an open batch in run metadata
    varies : whether steps disagree on it
    names : the inputs whose batch is open

    Raises
    ------
    OptionError
        The user's batch is another one than that of the user's input shapes or of run metadata.
    """
    wanted = batch.size
    if batch.is_given and wanted is not None:
        of = f", of {_listed(names)}" if len(names) else ""
        for sizes, source in ((given, "--input-shape"), (at_run, f"run metadata{of}")):
            others = sizes[sizes != wanted]
            if len(others):
                raise OptionError(
                    f"the batch is {', '.join(map(str, distinct(others)[:_SHOWN]))} in {source}, not {wanted}",
                    option=OPTION,
                    advice="leave the option out, or give the same size",
                )
        return None if varies else wanted
    if wanted is None or varies or len(at_run):
        return None
    sizes = distinct(given)
    if len(sizes) > 1:
        return None
    return int(sizes[0]) if len(sizes) else wanted


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
