"""Nodes that have another name in head because their layers are numbered otherwise."""

from __future__ import annotations

from tfprof_report.arrays import Ints
from tfprof_report.compare.comparison import Rename
from tfprof_report.record import record


@record
class Moved:
    """Nodes that have another name in head because their layers, or layers before them, are numbered otherwise.

    base, head : rows of matched nodes
    apart : rows of base that are not the nodes of head with their names
    renames : the layers with another name, and how many of their nodes were matched
    """

    base: Ints
    head: Ints
    apart: Ints
    renames: tuple[Rename, ...] = ()
