"""The commands `baseline save`, `pick`, `list` and `prune`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tfprof_report.cli.console import echo, print_path, say
from tfprof_report.cli.params.small_commands import ListValues, PickValues, PruneValues, SaveValues
from tfprof_report.clock import in_utc, moment, parse_age
from tfprof_report.errors import BaselineError, InputError, OptionError, OutputError, shown
from tfprof_report.formatting import format_number, plural
from tfprof_report.ingest.paths import read_bytes
from tfprof_report.options import hint_at, unknown_word
from tfprof_report.render.files.staging import Staging
from tfprof_report.report.models import listed_models, read_models_folder
from tfprof_report.report.store.choice import nearest, parse_ancestors, to_prune, why_nothing
from tfprof_report.report.store.place import Place, open_place, refused
from tfprof_report.report.store.store import (
    DamagedError,
    Entry,
    Held,
    UnseenError,
    check_model,
    commit_to_save,
    entries_of,
    fetch,
    held_of,
    models_in,
    read_to_save,
    remove,
    save,
)
from tfprof_report.schema.metrics import Unit
from tfprof_report.vocabulary import BaselineMissing


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


def pick_report(values: PickValues) -> None:
    """Print the folder of the report of the nearest ancestor, and on standard error how many commits back it is."""
    model, file = _required(values.model, "--model"), _required(values.ancestors, "--ancestors")
    if values.out == "":
        raise OptionError("the name of the folder is empty", option="--out", advice="is a variable unset?")
    check_model(model)
    ancestors = parse_ancestors(read_bytes(file, option="--ancestors"), file)
    with refused(values.store, BaselineError, "read"):
        place = open_place(values.store)
        if not place.is_local and values.out is None:
            raise OptionError(
                "is not a folder on this machine", file=place.name, advice="copy the report with --out DIR"
            )
        entries = entries_of(place, model)
        found = _first_whole(place, entries, ancestors)
    if values.out is not None:  # also if nothing was found, so that no earlier report is taken for the result
        _write(values.out, found[2] if found else {})
    if found is None:
        problem = why_nothing(model, entries, ancestors)
        if values.baseline_missing == BaselineMissing.FAIL:
            raise BaselineError(problem, file=place.name)
        if values.baseline_missing == BaselineMissing.WARN:
            say(f"warning: {place.name}: {problem}")
        if values.as_json:
            echo("null")
        return
    back, entry, _ = found
    folder = values.out or place.shown(entry.path)
    say(f"{model}: commit {entry.commit}, {plural(back, 'commit')} back, saved {in_utc(entry.saved)}")
    if values.as_json:
        echo(json.dumps({**_facts(entry), "commits_back": back, "folder": shown(folder)}, indent=1))
    else:
        print_path(folder)


def _first_whole(
    place: Place, entries: Sequence[Entry], ancestors: Sequence[str]
) -> tuple[int, Entry, dict[str, bytes]] | None:
    """Return the nearest entry that can be read, with its commits back and its files; warn of damaged ones."""
    for back, entry in nearest(entries, ancestors):
        try:
            return back, entry, fetch(place, entry)
        except UnseenError:
            continue
        except DamagedError as problem:
            say(f"warning: {place.shown(entry.path)}: passed over, {problem}")
    return None


def _write(folder: str, files: dict[str, bytes]) -> None:
    """Replace the report in `folder` by these files; without files, only remove it."""
    with Staging(folder) as staging:
        for name, data in files.items():
            staging.add(staging.top / name, lambda data=data: data)  # type: ignore[misc]
        staging.commit()
    if not files and staging.top.is_dir() and not any(staging.top.iterdir()):
        staging.top.rmdir()


def list_reports(values: ListValues) -> None:
    """Print the reports of the store."""
    with refused(values.store, BaselineError, "read"):
        place = open_place(values.store)
        held = [each for model in _models(place, values.model) for each in held_of(place, model) if each.is_whole]
    if values.as_json:
        echo(json.dumps([{**_facts(each.entry), **_size(place, each)} for each in held], indent=1))
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
    with refused(values.store, OutputError, "written"):
        place = open_place(values.store)
        for model in _models(place, values.model):
            for each in to_prune(held_of(place, model), keep=keep, older_than=older_than, now=moment()):
                if not values.dry_run:
                    remove(place, each.entry)
                done = "Would remove" if values.dry_run else "Removed"
                echo(f"{done}  {place.shown(each.entry.path)}{'' if each.is_whole else ' (never finished)'}")


def _models(place: Place, model: str | None) -> list[str]:
    """Return the chosen model, else all models in the store.

    Raises
    ------
    BaselineError
        The store has no such model, or none at all.
    """
    if model is not None:
        check_model(model)
    found = models_in(place)
    if not found:
        raise BaselineError("holds no baselines", file=place.name, advice="check the name of the store")
    if model is not None and model not in found:
        advice = hint_at(model, found)
        raise BaselineError(f"holds no baseline of the model {model}", file=place.name, advice=advice)
    return found if model is None else [model]


def _required(value: str | None, option: str) -> str:
    if not value:
        raise OptionError("is missing", option=option, advice="see tfprof-report baseline pick --help")
    return value


def _row(held: Held) -> tuple[str, ...]:
    entry = held.entry
    return entry.model, entry.commit, in_utc(entry.saved), format_number(held.size_bytes, Unit.BYTES)


def _facts(entry: Entry) -> dict[str, Any]:
    return {**asdict(entry), "saved": in_utc(entry.saved)}


def _size(place: Place, held: Held) -> dict[str, Any]:
    return {"files": held.files, "bytes": held.size_bytes, "path": shown(place.shown(held.entry.path))}
