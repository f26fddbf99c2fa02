"""The command `history`."""

from __future__ import annotations

import os
from collections.abc import Mapping

from tfprof_report import __version__
from tfprof_report.cli.commands.history_extras import named_files, of_models, read_badges, write_extras
from tfprof_report.cli.commands.history_start import Start, find_start
from tfprof_report.cli.commands.named_files import real_path
from tfprof_report.cli.commands.store_outputs import check_outside, check_store_url, store_address
from tfprof_report.cli.config.file import AppliedRules, print_rules_file
from tfprof_report.cli.config.gate_tables import of_model
from tfprof_report.cli.console import echo, progress, say
from tfprof_report.cli.params.history_options import HistoryValues
from tfprof_report.clock import moment, now
from tfprof_report.errors import BaselineError, OptionError
from tfprof_report.formatting import plural
from tfprof_report.history.build_history import EXPLAINED, Wanted, build_model
from tfprof_report.history.git_log import read_log, read_tags
from tfprof_report.history.history_data import History, ModelHistory
from tfprof_report.history.in_order import oldest_first
from tfprof_report.ingest.files.file_bytes import read_bytes
from tfprof_report.options import hint_at, unknown_word
from tfprof_report.render.files.atomic import write_folder
from tfprof_report.render.history.history_content import history_content
from tfprof_report.render.history.history_document import render_history_markdown
from tfprof_report.render.history.history_files import render_history_json, render_history_parquet
from tfprof_report.render.history.history_page import render_history_html
from tfprof_report.render.markdown.document import LEAST_CHARS, MAX_CHARS
from tfprof_report.report.links import read_links
from tfprof_report.report.store.commits import Commits, parse_commits
from tfprof_report.report.store.index import indexed_models, read_index
from tfprof_report.report.store.place import Place, open_place, refused
from tfprof_report.report.store.store import check_model
from tfprof_report.report.store.usable import passed_words
from tfprof_report.report.tags import parse_tags
from tfprof_report.schema.index_columns import FIGURES

_FILES = ("history.html", "history.md", "history.parquet", "history.json")


def show_history(values: HistoryValues, rules: AppliedRules) -> None:
    """Write the history of the models of a store."""
    folder = _checked(values)
    badges = read_badges(values, real_path(folder), _FILES)
    check_store_url(values.store_url)
    links = read_links(None, values.commit_url)
    commits, tags = _commits(values)
    start = find_start(values, commits, tags or {})
    wanted = Wanted(
        commits=commits,
        first=start.first,
        since=start.words,
        tags=tags,
        stems=tuple(dict.fromkeys(values.metric)) if values.metric else None,
        more=tuple(badge.stem for badge in badges),
        explained=EXPLAINED if values.compare is None else values.compare,
    )
    with refused(values.store, BaselineError, "read"):
        place = open_place(values.store)
        check_outside(place, {"--out": [folder], **named_files(values, badges)})
        models = _models(values, place)
        badges = of_models(badges, models)
        with progress(len(models)) as begin:
            found = []
            for name in models:
                begin(name)
                found.append(_model(name, place, wanted, rules))
    _check_found(place, found, commits, start)
    history = History(
        tool_version=__version__,
        timestamp=values.timestamp or now(),
        store=place.name,
        store_url=store_address(values.store_url, place, folder),
        commits=commits.ids[start.shown :],
        since=start.words if values.last is None else f"(the last {values.last:,})",
        models=tuple(found),
        links=links,
    )
    content = history_content(history)
    files = (
        render_history_html(history, content).encode(),
        render_history_markdown(content, values.max_chars or MAX_CHARS).encode(),
        render_history_parquet(history),
        render_history_json(history).encode(),
    )
    write_folder(folder, dict(zip(_FILES, files, strict=True)), option="--out")
    print_rules_file(rules)
    for model in content.models:
        echo(f"{model.name.text}: {model.headline}")
    echo(f"History   {os.path.join(folder, 'history.html')}")  # noqa: PTH118 as the user wrote it
    write_extras(values, badges, history)


def _checked(values: HistoryValues) -> str:
    """Return the folder to write; an OptionError for options that contradict each other or say nothing."""
    if values.out is None:
        raise OptionError("Missing option '--out'", advice="name the folder to write")
    if (values.ancestors is None) == (values.git is None):
        problem = "the order of commits is not given" if values.git is None else "the order of commits is given twice"
        raise OptionError(problem, option="--ancestors, --git", advice="give one")
    if values.git is not None and values.tags is not None:
        raise OptionError("tags are given twice", option="--tags, --git", advice="give one of them")
    if values.since is not None and values.last is not None:
        raise OptionError("two starts are given", option="--since, --last", advice="give one of them")
    for value, option, least in (
        (values.last, "--last", 1),
        (values.compare, "--compare", 0),
        (values.max_chars, "--max-chars", LEAST_CHARS),
    ):
        if value is not None and value < least:
            raise OptionError(f"{value} is too few", option=option, advice=f"give {least} or more")
    for metric in values.metric or ():
        if metric not in FIGURES:
            raise unknown_word(metric, option="--metric", known=FIGURES)
    return values.out


def _commits(values: HistoryValues) -> tuple[Commits, Mapping[str, tuple[str, ...]] | None]:
    """Return the commits, the oldest first, and the tags of each; None where no file has them."""
    if values.git is not None:
        commits = parse_commits(read_log(values.git), values.git)
        return oldest_first(commits), parse_tags(read_tags(values.git), values.git)
    file = values.ancestors or ""
    commits = parse_commits(read_bytes(file, option="--ancestors"), file)
    tags = parse_tags(read_bytes(values.tags, option="--tags"), values.tags) if values.tags is not None else None
    return oldest_first(commits), tags


def _models(values: HistoryValues, place: Place) -> list[str]:
    """Return the models to show."""
    there = indexed_models(place)
    for name in values.model or ():
        check_model(name)
        if name not in there:
            problem, advice = f"holds no baseline of the model {name}", hint_at(name, there)
            raise BaselineError(problem, file=place.name, advice=advice)
    if not there:
        raise BaselineError("holds no baselines", file=place.name, advice="check the name of the store")
    return list(dict.fromkeys(values.model)) if values.model else there


def _model(name: str, place: Place, wanted: Wanted, rules: AppliedRules) -> ModelHistory:
    """Return the history of a model; standard error says which reports are left out, and why."""
    indexed = read_index(place, name, moment())
    model = build_model(name, indexed, place, wanted, of_model(rules.gates, name))
    for words in (*passed_words(model.left_out), *(f"no report knows {stem}" for stem in model.never)):
        say(f"warning: {name}: {words}")
    return model


def _check_found(place: Place, found: list[ModelHistory], commits: Commits, start: Start) -> None:
    """Raise BaselineError if no report is of a commit of the list: nothing to show is not a history."""
    if any(model.rows.num_rows for model in found):
        return
    if start.first == len(commits.ids):
        raise BaselineError(f"no commit of the list is {start.words}", option="--since", advice="give an earlier day")
    count = sum(model.elsewhere for model in found)
    if not count:
        advice = "the warnings say why" if any(model.left_out for model in found) else "check the name of the store"
        raise BaselineError("has no report that can be shown", file=place.name, advice=advice)
    words = f"has {plural(count, 'report')}, none of the {plural(len(commits.ids), 'commit')} to show"
    raise BaselineError(words, file=place.name, advice="check the list of commits, and save under full ids")
