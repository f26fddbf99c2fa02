"""What a batch makes: entries, each of them the command line of a report, and where the reports go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from tfprof_report.record import record


@record
class Checkout:
    """A commit whose inputs are made by a command, in a worktree of its own.

    repository : a folder of the repository, absolute
    limit : seconds after which the command is ended; None for any
    """

    repository: str
    commit: str
    command: str
    limit: float | None = None


@record
class Entry:
    """A report to make.

    number : its position in the batch, from 0
    model, commit, branch, labels : what it is of, for the outcome and the store
    name : the name of its folder
    command : the command line that makes it, from ``report`` on, without ``--out`` and ``--jobs``
    inputs : the files that it is made of, those that options and the rules file name included; None if they are not
        all known, so that it is made in any case
    need_bytes : estimate of the memory that it takes; None if unknown
    checkout : what makes the inputs, and where the command line runs; None if they are there
    work : what there is to do, of an entry that is no report
    """

    number: int
    model: str
    name: str
    command: tuple[str, ...]
    commit: str | None = None
    branch: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    inputs: tuple[str, ...] | None = None
    need_bytes: int | None = None
    checkout: Checkout | None = None
    work: Any = None


@record
class Target:
    """Where reports go: into a folder each below `folder`, or into a store, with the outcome alone in `folder`.

    One of the two may be None.
    """

    folder: str | None
    store: str | None


@record
class Task:
    """An entry as a worker gets it.

    batch : tells one run of the command from others
    cwd : the folder that relative paths start at
    fixed_time : the value of SOURCE_DATE_EPOCH, which the worker's own environment may lack
    limit : seconds after which the worker ends; None for no limit
    """

    entry: Entry
    target: Target
    batch: str
    cwd: str
    fixed_time: str | None = None
    limit: float | None = None
