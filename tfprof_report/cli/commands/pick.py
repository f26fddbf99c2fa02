"""The command `baseline pick`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from tfprof_report.cli.commands.baseline import facts_of, say_oddities
from tfprof_report.cli.console import echo, print_path, say
from tfprof_report.cli.inputs import measurement_from
from tfprof_report.cli.params.baseline_options import PickValues
from tfprof_report.clock import in_utc, moment, parse_age
from tfprof_report.errors import BaselineError, OptionError, shown
from tfprof_report.formatting import plural
from tfprof_report.ingest.files.file_bytes import read_bytes
from tfprof_report.ingest.paths import parse_input_shape
from tfprof_report.model.measurement import Measurement
from tfprof_report.record import record
from tfprof_report.render.files.staging import Staging
from tfprof_report.report.store.choice import nearest, why_nothing
from tfprof_report.report.store.commits import parse_commits
from tfprof_report.report.store.place import Place, open_place, refused
from tfprof_report.report.store.store import (
    DamagedError,
    Entry,
    UnseenError,
    check_model,
    entries_of,
    fetch,
    fetch_summary,
)
from tfprof_report.report.store.usable import (
    PassedOver,
    Unusable,
    Wanted,
    passed_words,
    why_unusable,
)
from tfprof_report.vocabulary import BaselineMissing


@record
class _Found:
    """The nearest usable entry, with its commits back and its files."""

    back: int
    entry: Entry
    files: dict[str, bytes]


def pick_report(values: PickValues, *, is_stated: bool) -> None:
    """Print the folder of the nearest usable report, and on standard error how many commits back it is.

    `is_stated` is whether anything, a rules file or an option, says how the coming report is counted. If nothing does,
    it is taken to be counted as the nearest report.
    """
    model, file = _required(values.model, "--model"), _required(values.ancestors, "--ancestors")
    check_model(model)
    wanted = _wanted(values, is_stated=is_stated)
    ancestors = parse_commits(read_bytes(file, option="--ancestors"), file).ids
    with refused(values.store, BaselineError, "read"):
        place = open_place(values.store)
        if not place.is_local and values.out is None:
            raise OptionError(
                "is not a folder on this machine", file=place.name, advice="copy the report with --out DIR"
            )
        entries = entries_of(place, model, wanted.now)
        found, passed = _first_usable(place, entries, ancestors, wanted)
        say_oddities(place, model, [found.entry] if found else [], wanted.now)
    if values.out is not None:  # also if nothing was found, so that no earlier report is taken for the result
        _write(values.out, found.files if found else {})
    for words in passed_words(passed):
        say(f"warning: {model}: {words}")
    if found is None:
        _nothing(values, place, why_nothing(model, entries, ancestors, passed))
        return
    entry = found.entry
    folder = values.out or place.shown(entry.path)
    say(f"{model}: commit {entry.commit}, {plural(found.back, 'commit')} back, saved {in_utc(entry.saved)}")
    if values.as_json:
        echo(json.dumps({**facts_of(entry), "commits_back": found.back, "folder": shown(folder)}, indent=1))
    else:
        print_path(folder)


def _wanted(values: PickValues, *, is_stated: bool) -> Wanted:
    age = values.job.baseline.max_baseline_age
    return Wanted(
        now=moment(),
        measurement=_measurement(values) if is_stated else None,
        most_age=parse_age(age, option="--max-baseline-age") if age else None,
        last_good=values.last_good,
    )


def _measurement(values: PickValues) -> Measurement:
    shapes = tuple(parse_input_shape(text, "") for text in values.head.input_shape or ())
    return replace(measurement_from(values.job), input_shapes=shapes, signature=values.head.signature)


def _first_usable(
    place: Place, entries: Sequence[Entry], ancestors: Sequence[str], wanted: Wanted
) -> tuple[_Found | None, list[PassedOver]]:
    """Return the nearest usable entry, and those that were passed over before it."""
    passed: list[PassedOver] = []
    for back, entry in nearest(entries, ancestors):
        try:
            summary = fetch_summary(place, entry)
            reason = why_unusable(summary, wanted)
            if reason is None:
                return _Found(back=back, entry=entry, files=fetch(place, entry, summary)), passed
        except UnseenError as problem:
            reason = Unusable.UNFINISHED, str(problem)
        except DamagedError as problem:
            reason = Unusable.DAMAGED, str(problem)
        passed.append(PassedOver(path=place.shown(entry.path), kind=reason[0], why=reason[1]))
    return None, passed


def _nothing(values: PickValues, place: Place, problem: str) -> None:
    """Say that there is no usable report, as --baseline-missing wants it."""
    if values.baseline_missing == BaselineMissing.FAIL:
        raise BaselineError(problem, file=place.name)
    if values.baseline_missing == BaselineMissing.WARN:
        say(f"warning: {place.name}: {problem}")
    if values.as_json:
        echo("null")


def _write(folder: str, files: dict[str, bytes]) -> None:
    """Replace the report in `folder` by these files; without files, only remove it."""
    with Staging(folder) as staging:
        for name, data in files.items():
            staging.add(staging.top / name, partial(bytes, data))
        staging.commit()
    if not files and staging.top.is_dir() and not any(staging.top.iterdir()):
        staging.top.rmdir()


def _required(value: str | None, option: str) -> str:
    if not value:
        raise OptionError("is missing", option=option, advice="see tfprof-report baseline pick --help")
    return value
