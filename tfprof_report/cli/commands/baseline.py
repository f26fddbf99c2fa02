"""The commands `baseline save`, `list` and `prune`; `pick` is in a module of its own."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from tfprof_report.cli.console import echo, say
from tfprof_report.cli.params.baseline_options import ListValues, PruneValues, SaveValues
from tfprof_report.clock import in_utc, moment, parse_age
from tfprof_report.errors import BaselineError, InputError, OptionError, OutputError, shown
from tfprof_report.formatting import format_number, plural
from tfprof_report.options import hint_at, unknown_word
from tfprof_report.report.models import listed_models, read_models_folder
from tfprof_report.report.store.choice import UNFINISHED, to_prune
from tfprof_report.report.store.place import PERMISSIONS, Place, open_place, refused
from tfprof_report.report.store.store import (
    Entry,
    Held,
    check_model,
    commit_to_save,
    held_of,
    links_in,
    models_in,
    read_to_save,
    remove,
    save,
)
from tfprof_report.report.store.usable import has_failed
from tfprof_report.schema.files import SUMMARY
from tfprof_report.schema.metrics import Unit


def save_report(values: SaveValues) -> None:
    """Save a report, or each model of a report of several; nothing is saved unless all can be."""
    reports = {}
    for model, folder in _models_of(values).items():
        check_model(model)
        files, own = read_to_save(folder)
        reports[model] = files, commit_to_save(values.commit, own)
    for model, (files, commit) in reports.items():
        with refused(values.store, OutputError, "written"):
            place = open_place(values.store)
            entry, is_new = save(place, files, model=model, commit=commit, now=moment())
        echo(f"{'Saved    ' if is_new else 'Unchanged'} {place.shown(entry.path)}")
        if has_failed(files[SUMMARY]):
            say(f"{model}: gates of this report failed; pick --last-good passes over it")


def _models_of(values: SaveValues) -> dict[str, str]:
    """Return the folder of each model to save."""
    folder, model = values.report, values.model
    if not listed_models(Path(folder)):
        if model is None:
            read_to_save(folder)  # first report that the folder is not a report, if so: a name would not help
            raise OptionError("the model has no name", option="--model", advice="name it, such as --model encoder")
        return {model: folder}
    folders = read_models_folder(folder, InputError)
    if model is None:
        return folders
    if model not in folders:
        raise unknown_word(model, option="--model", known=folders)
    return {model: folders[model]}


def list_reports(values: ListValues) -> None:
    """Print the reports of the store."""
    with refused(values.store, BaselineError, "read"):
        place, now = open_place(values.store), moment()
        held = []
        for model in _models(place, values.model):
            found = held_of(place, model, now)
            _say_what_stays(place, model, found, now)
            held += [each for each in found if each.is_whole]
    if values.as_json:
        echo(json.dumps([{**facts_of(each.entry), **_size(place, each)} for each in held], indent=1))
        return
    for row in (("model", "commit", "saved", "size"), *map(_row, held)):
        echo("\t".join(row))


def prune_reports(values: PruneValues) -> None:
    """Remove old reports, except the newest ones to keep."""
    keep, age = values.keep, values.older_than
    if keep is None and age is None:
        raise OptionError("nothing says what to remove", option="--keep, --older-than", advice="give one or both")
    if keep is not None and keep < 1:
        raise OptionError(f"{keep} would keep nothing", option="--keep", advice="give 1 or more")
    older_than = None if age is None else parse_age(age, option="--older-than")
    going: list[Held] = []
    with refused(values.store, BaselineError, "read"):
        place, now = open_place(values.store), moment()
        for model in _models(place, values.model):
            held = held_of(place, model, now)
            found = to_prune(held, keep=keep, older_than=older_than, now=now)
            _say_what_stays(place, model, [each for each in held if each not in found], now)
            going += found
    kept: list[str] = []
    with refused(values.store, OutputError, "written"):
        for each in going:
            path = place.shown(each.entry.path)
            try:
                if not values.dry_run:
                    remove(place, each.entry)
            except PermissionError:  # those of others may be removed all the same
                kept.append(path)
                continue
            done = "Would remove" if values.dry_run else "Removed"
            echo(f"{done}  {path}{'' if each.is_whole else ' (never finished)'}")
    if kept:
        others = f", nor can {plural(len(kept) - 1, 'other report')}" if len(kept) > 1 else ""
        raise OutputError(f"cannot be removed (permission denied){others}", file=kept[0], advice=PERMISSIONS)


def say_oddities(place: Place, model: str, entries: Sequence[Entry], now: datetime) -> None:
    """Warn of symbolic links among the entries of a model, and of `entries` from the future."""
    if links := links_in(place, model):
        say(f"warning: {model}: left alone {plural(len(links), 'symbolic link')}, such as {place.shown(links[0])}")
    if ahead := [entry for entry in entries if entry.is_ahead(now)]:
        example = f"{place.shown(ahead[0].path)} ({in_utc(ahead[0].saved)})"
        say(
            f"warning: {model}: {plural(len(ahead), 'report')} from the future, such as {example}: "
            "the clock was wrong where it was saved; others of its commit come first, and it has no age"
        )


def _say_what_stays(place: Place, model: str, held: Sequence[Held], now: datetime) -> None:
    """Warn of oddities among the entries of a model, and of saves that are not finished."""
    say_oddities(place, model, [each.entry for each in held], now)
    if unfinished := [each.entry for each in held if not each.is_whole]:
        say(
            f"warning: {model}: {plural(len(unfinished), 'save')} not finished, such as "
            f"{place.shown(unfinished[0].path)}: running, or interrupted; "
            f"prune removes it {UNFINISHED.days} day after it began"
        )


def _models(place: Place, model: str | None) -> list[str]:
    """Return the chosen model, else all models in the store.

    Raises
    ------
    BaselineError
        The store has no such model, or none at all.
    """
    if model is not None:
        check_model(model)
    found, links = models_in(place), links_in(place)
    if model is not None and model in links:
        raise BaselineError("is a symbolic link, which no store follows", file=place.shown(model))
    if links and model is None:
        say(f"warning: left alone {plural(len(links), 'symbolic link')}, such as {place.shown(links[0])}")
    if not found:
        raise BaselineError("holds no baselines", file=place.name, advice="check the name of the store")
    if model is not None and model not in found:
        advice = hint_at(model, found)
        raise BaselineError(f"holds no baseline of the model {model}", file=place.name, advice=advice)
    return found if model is None else [model]


def _row(held: Held) -> tuple[str, ...]:
    entry = held.entry
    return entry.model, entry.commit, in_utc(entry.saved), format_number(held.size_bytes, Unit.BYTES)


def facts_of(entry: Entry) -> dict[str, Any]:
    """Return what the JSON of the commands says about an entry."""
    return {**asdict(entry), "saved": in_utc(entry.saved)}


def _size(place: Place, held: Held) -> dict[str, Any]:
    return {"files": held.files, "bytes": held.size_bytes, "path": shown(place.shown(held.entry.path))}
