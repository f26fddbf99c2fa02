"""The commands `baseline save`, `list` and `prune`; `pick` is in a module of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any

from tfprof_report.cli.console import echo, say
from tfprof_report.cli.params.baseline_options import ListValues, PruneValues, SaveValues
from tfprof_report.clock import in_utc, moment, parse_age
from tfprof_report.errors import BaselineError, InputError, OptionError, OutputError, shown
from tfprof_report.formatting import format_number, format_total, plural, unit_of
from tfprof_report.ingest.files.file_bytes import read_bytes
from tfprof_report.options import hint_at, unknown_word
from tfprof_report.render.machine.summary_json import json_text
from tfprof_report.report.models import INDEX_FOLDER, listed_models, read_models_folder
from tfprof_report.report.store.choice import UNFINISHED, to_prune
from tfprof_report.report.store.index import IndexedRows, compact, index_saved, read_index
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
    reports_in_index,
    save,
)
from tfprof_report.report.store.thinning import Thinning
from tfprof_report.report.store.usable import Unusable, has_failed, passed_words
from tfprof_report.report.tags import parse_tags
from tfprof_report.schema.files import SUMMARY
from tfprof_report.schema.index_columns import FIGURES, INDEX, figure_columns
from tfprof_report.schema.metrics import DEVICE_PEAK, WALL, Unit

_SHOWN = {"float_ops": "FLOPs", "params": "parameters", DEVICE_PEAK: "device peak", WALL: "step time"}
"""The figures that `list` shows, with their headings."""

_OF_ENTRY = ("model", "commit", "saved", "report")
_FIRST_FIGURE = INDEX.names.index(FIGURES[0])
_FACTS = [name for name in INDEX.names[:_FIRST_FIGURE] if name not in _OF_ENTRY]


def save_report(values: SaveValues) -> None:
    """Save a report, or each model of a report of several; nothing is saved unless all can be."""
    reports = {}
    for model, folder in _models_of(values).items():
        check_model(model)
        files, own = read_to_save(folder)
        reports[model] = files, commit_to_save(values.commit, own)
    with refused(values.store, OutputError, "written"):
        place = open_place(values.store)
    for model, (files, commit) in reports.items():
        with refused(values.store, OutputError, "written"):
            now = moment()
            entry, is_new = save(place, files, model=model, commit=commit, now=now)
            index_saved(place, entry, files[SUMMARY], now, is_new=is_new)
        echo(f"{'Saved    ' if is_new else 'Unchanged'} {place.shown(entry.path)}")
        if has_failed(files[SUMMARY]):
            say(f"{model}: gates of this report failed; pick --last-good passes over it")
    with refused(values.store, BaselineError, "read"):
        _say_lost_name(place)


def _models_of(values: SaveValues) -> dict[str, str]:
    """Return the folder of each model to save."""
    folder, model = values.report, values.model
    if not listed_models(folder):
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
    """Print the reports of the store with their figures."""
    listed: list[tuple[Held, dict[str, Any]]] = []
    with refused(values.store, BaselineError, "read"):
        place, now = open_place(values.store), moment()
        for model in _models(place, values.model):
            found, index = held_of(place, model, now), read_index(place, model, now)
            _say_what_stays(place, model, found, now)
            _say_left_out(model, index)
            rows = {row["report"]: row for row in index.rows.to_pylist()}
            listed += [(each, rows.get(each.entry.path, {})) for each in found if each.is_whole]
    if values.as_json:
        content = [{**facts_of(each.entry), **_size(place, each), **_facts(row)} for each, row in listed]
        echo(json_text(content).rstrip("\n"))
        return
    head = ("model", "commit", "saved", "size", *_SHOWN.values())
    for cells in (head, *(_cells(each, row) for each, row in listed)):
        echo("\t".join(cells))


def prune_reports(values: PruneValues) -> None:
    """Remove old reports, except those to keep; their totals stay in the index."""
    older_than, thinning = _what_stays(values)
    going: list[Held] = []
    with refused(values.store, BaselineError, "read"):
        place, now = open_place(values.store), moment()
        of_models = {model: held_of(place, model, now) for model in _models(place, values.model)}
    for model, held in of_models.items():
        with refused(values.store, OutputError, "written"):  # the totals before the reports go
            index = (read_index if values.dry_run else compact)(place, model, now)
        _say_left_out(model, index)
        kept = thinning.keeps([each.entry for each in held if each.is_whole], _times(index), now)
        found = to_prune(held, keep=values.keep, older_than=older_than, now=now, thinned=kept)
        with refused(values.store, BaselineError, "read"):
            _say_what_stays(place, model, [each for each in held if each not in found], now)
        going += found
    _remove(values, place, going)


def _what_stays(values: PruneValues) -> tuple[timedelta | None, Thinning]:
    """Return the age from which reports go, and the history to keep; an OptionError if the options contradict."""
    counts = {"--keep": values.keep, "--keep-daily": values.keep_daily, "--keep-weekly": values.keep_weekly}
    if all(count is None for count in counts.values()) and values.older_than is None and not values.keep_tagged:
        advice = "give one or both, or --keep-daily, --keep-weekly or --keep-tagged"
        raise OptionError("nothing says what to remove", option="--keep, --older-than", advice=advice)
    for option, count in counts.items():
        if count is not None and count < 1:
            raise OptionError(f"{count} would keep nothing", option=option, advice="give 1 or more")
    if values.keep_tagged != (values.tags is not None):
        option, other = ("--keep-tagged", "--tags FILE") if values.keep_tagged else ("--tags", "--keep-tagged")
        raise OptionError(f"needs {other}", option=option, advice="give both or none")
    older_than = None if values.older_than is None else parse_age(values.older_than, option="--older-than")
    tagged = {} if values.tags is None else parse_tags(read_bytes(values.tags, option="--tags"), values.tags)
    if values.tags is not None and not tagged:
        if all(count is None for count in counts.values()) and older_than is None:
            advice = "git fetch --tags gets those of a clone"
            raise OptionError(f"{values.tags} names no tag: it would keep nothing", option="--tags", advice=advice)
        say(
            f"warning: {values.tags} names no tag, so no report is kept for one; git fetch --tags gets those of a clone"
        )
    return older_than, Thinning(daily=values.keep_daily or 0, weekly=values.keep_weekly or 0, tagged=tagged)


def _times(index: IndexedRows) -> dict[str, datetime]:
    """Return the times of reports by their paths, of those that have one."""
    reports, times = (index.rows[name].to_pylist() for name in ("report", "time"))
    return {report: time for report, time in zip(reports, times, strict=True) if time is not None}


def _remove(values: PruneValues, place: Place, going: Sequence[Held]) -> None:
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


def _say_left_out(model: str, index: IndexedRows) -> None:
    """Warn of what has no totals; of saves that are not finished and of links `_say_what_stays` does."""
    said = (Unusable.UNFINISHED, Unusable.LINK)
    for words in passed_words([each for each in index.left_out if each.kind not in said]):
        say(f"warning: {model}: {words}")


def _say_lost_name(place: Place) -> None:
    """Warn of reports of a model that has the name of the index."""
    if lost := reports_in_index(place):
        say(
            f"warning: {plural(len(lost), 'report')} of a model called {INDEX_FOLDER}, such as {place.shown(lost[0])}: "
            f"a store keeps its totals under this name, move them to a folder of another name"
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
    _say_lost_name(place)
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


def _cells(held: Held, row: Mapping[str, Any]) -> tuple[str, ...]:
    entry = held.entry
    size = format_number(held.size_bytes, Unit.BYTES)
    return entry.model, entry.commit, in_utc(entry.saved), size, *(_figure(row, stem) for stem in _SHOWN)


def _figure(row: Mapping[str, Any], stem: str) -> str:
    """Return a figure as text; ``at least`` so much where nodes lack it."""
    total, least, lacking = (row.get(column) for column in figure_columns(stem))
    return format_total(least if lacking else total, unit_of(stem), unknown=lacking or 0)


def _facts(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the JSON says of a row: what was measured and how, and apart from it the figures."""
    facts = {name: row.get(name) for name in _FACTS} | {"time": (time := row.get("time")) and in_utc(time)}
    return {**facts, "figures": {name: row.get(name) for name in INDEX.names[_FIRST_FIGURE:]}}


def facts_of(entry: Entry) -> dict[str, Any]:
    """Return what the JSON of the commands says about an entry."""
    return {**asdict(entry), "saved": in_utc(entry.saved)}


def _size(place: Place, held: Held) -> dict[str, Any]:
    return {"files": held.files, "bytes": held.size_bytes, "path": shown(place.shown(held.entry.path))}
