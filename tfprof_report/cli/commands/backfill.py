"""The options --git-range to --command-limit of `batch`: reports of past commits, and which changed a figure."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from tfprof_report.batch.checkout import COMMAND
from tfprof_report.batch.entry import Checkout, Entry, Target
from tfprof_report.batch.find_change import Change, Figures, UnknownEndError, find_change
from tfprof_report.batch.outcome import DONE, Row, outcome_files
from tfprof_report.batch.worktrees import RANGE
from tfprof_report.cli.config.file import NO_FILE, OPTION, find_rules_file
from tfprof_report.cli.config.make_policy import gate_of_model
from tfprof_report.cli.console import echo
from tfprof_report.cli.params.batch_options import BatchValues
from tfprof_report.clock import moment, parse_duration
from tfprof_report.compare.gates.grammar import UNITS
from tfprof_report.errors import InputError, OptionError, log_line
from tfprof_report.formatting import COMMIT_DIGITS, format_number
from tfprof_report.history.git_range import Dated, read_commit, read_range, top_of
from tfprof_report.options import flag, unknown_word
from tfprof_report.record import record
from tfprof_report.render.files.atomic import write_folder
from tfprof_report.report.models import name_problem
from tfprof_report.report.store.place import open_place
from tfprof_report.report.store.store import Entry as Saved
from tfprof_report.report.store.summary_row import NoRowError, row_of
from tfprof_report.schema.files import SUMMARY
from tfprof_report.schema.metrics import Number, Unit

_ONLY_WITH_RANGE = ("command", "profile", "model", "bisect", "command_limit")

Make = Callable[[Sequence[Entry]], list[Row]]
"""Makes reports, and returns a row for each."""


@record
class Backfill:
    """The commits of a repository to report on, the oldest first, each with its entry."""

    repository: str
    commits: tuple[Dated, ...]
    entries: tuple[Entry, ...]


def check_alone(values: BatchValues) -> None:
    """Raise OptionError if options about past commits are given without a range, or a range with other inputs."""
    if values.git_range is None:
        given = [flag(name) for name in _ONLY_WITH_RANGE if getattr(values, name) is not None]
        given += ["--every"] if values.every != 1 else []
        if given:
            raise OptionError("is about past commits, and none are named", option=given[0], advice=f"give {RANGE} A..B")
        if not values.sources:
            raise OptionError("nothing to report on", advice=f"name a manifest, inputs, or {RANGE} A..B")
        return
    _check_range(values)


def _check_range(values: BatchValues) -> None:
    if values.sources:
        raise OptionError("makes the inputs of each commit", option=RANGE, advice=f"leave out {values.sources[0]}")
    for name, what in (("command", COMMAND), ("profile", "--profile")):
        if getattr(values, name) is None:
            raise OptionError(f"Missing option '{what}'", advice="name the command, and what it makes")
    if values.commit is not None:
        raise OptionError("each report has the commit that it is of", option="--commit", advice="leave it out")
    if values.every < 1:
        raise OptionError(f"{values.every} is no number of commits", option="--every", advice="give 1 or more")
    if values.bisect is not None and values.bisect not in UNITS:
        raise unknown_word(values.bisect, option="--bisect", known=UNITS)
    if values.bisect is not None and UNITS[values.bisect] is Unit.MICROS:
        raise OptionError(
            f"{values.bisect} differs from run to run", option="--bisect", advice="see where it moved with history"
        )


def backfill_from(values: BatchValues) -> Backfill:
    """Return the commits of the range and their entries; with --bisect also the commit that it begins after.

    Raises
    ------
    OptionError
        The range is none or empty, or a value is wrong.
    InputError
        git cannot read the repository.
    """
    top = top_of(os.curdir)
    text = values.git_range or ""
    commits = read_range(top, text)
    commits = commits[::-1][:: values.every][::-1]
    if values.bisect is not None:
        commits = [read_commit(top, text.partition("..")[0]), *commits]
    model = values.model or Path(top).name
    if problem := name_problem(model):
        raise OptionError(problem, option=f'--model "{model}"', advice="give --model NAME")
    gates = [gate_of_model(text, [model])[1] for text in values.gate or ()]
    limit = parse_duration(values.command_limit, option="--command-limit") if values.command_limit else None
    found = find_rules_file() if values.config is None else values.config
    rules = NO_FILE if found in (None, NO_FILE) else os.path.abspath(found or "")  # noqa: PTH100 (links stay)
    entries = [
        Entry(
            number=number,
            model=model,
            name=f"{model}-{each.commit[:COMMIT_DIGITS]}",
            command=(
                "report",
                values.profile or "",
                f"--commit={each.commit}",
                *(f"--branch={branch}" for branch in [values.branch] if branch),
                f"--timestamp={each.time:%Y-%m-%dT%H:%M:%SZ}",
                f"{OPTION}={rules}",
                *(f"--gate={gate}" for gate in gates),
            ),
            commit=each.commit,
            branch=values.branch,
            inputs=() if rules == NO_FILE else (rules,),
            checkout=Checkout(
                repository=top,
                commit=each.commit,
                command=values.command or "",
                limit=limit.total_seconds() if limit else None,
            ),
        )
        for number, each in enumerate(commits)
    ]
    return Backfill(repository=top, commits=tuple(commits), entries=tuple(entries))


def find_and_say(past: Backfill, metric: str, make: Make, target: Target, jobs: int) -> list[Row]:
    """Make reports until the commit that changed a figure is known, and print it; return the rows.

    Raises
    ------
    InputError
        The figure of the first or the last commit is not known.
    """
    rows: dict[int, Row] = {}

    def ask(positions: Sequence[int]) -> Figures:
        made = make([past.entries[at] for at in positions])
        rows.update({row.entry.number: row for row in made})
        return {row.entry.number: _figure(row, metric, target) for row in made}

    try:
        change = find_change(len(past.commits), ask, max(jobs, 1))
    except UnknownEndError as error:
        row = rows[error.position]
        reason = row.result.reason or "its report does not know it wholly"
        raise InputError(
            f"{metric} of {_named(past.commits[error.position])} is not known: {reason}", option="--bisect"
        ) from error
    finally:
        done = [rows[at] for at in sorted(rows)]
        if target.folder is not None and done:
            write_folder(target.folder, outcome_files(done, is_complete=True), option="--out")
    for line in _lines(past, metric, change):
        echo(log_line(line))
    return done


def _lines(past: Backfill, metric: str, change: Change | None) -> list[str]:
    first, last = past.commits[0], past.commits[-1]
    if change is None:
        return [f"{metric} is the same in {_named(first)} and {_named(last)}"]
    unit = UNITS[metric]
    before, after = (format_number(figure, unit) for figure in (change.before, change.after))
    words = f"{metric} changed from {before} to {after}"
    if change.first == change.last + 1:
        return [f"{words} in {_named(past.commits[change.first])}"]
    count = change.first - change.last
    among = [f"  {_named(each)}" for each in past.commits[change.last + 1 : change.first + 1]]
    return [f"{words} in one of {count:,} commits, since reports of the others failed:", *among]


def _named(commit: Dated) -> str:
    return f"{commit.commit[:COMMIT_DIGITS]} ({commit.time:%Y-%m-%d}, {commit.subject})"


def _figure(row: Row, metric: str, target: Target) -> Number | None:
    """Return a figure of a report; None if there is no report, or it is not wholly known."""
    if row.result.state not in DONE or row.result.report is None:
        return None
    where = target.store or target.folder or ""
    place = open_place(where)
    path = row.result.report.removeprefix(f"{place.name.rstrip('/')}/")
    saved = Saved(model=row.entry.model, commit=row.entry.commit or "", saved=moment(), digest="0" * 16)
    try:
        found = row_of(saved, place.read(f"{path}/{SUMMARY}"))
    except (NoRowError, OSError):
        return None
    figure: Number | None = found[metric]
    return figure if not found[f"{metric}_unknown"] else None
