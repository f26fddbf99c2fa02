"""The history of the models of a store, from the values of its options: what the command and Python share.

Nothing is printed or written here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from tfprof_report import __version__
from tfprof_report.cli.commands.over_time.history_start import Start, find_start
from tfprof_report.cli.commands.store_outputs import check_store_url, store_address
from tfprof_report.cli.config.file import AppliedRules
from tfprof_report.cli.config.gate_tables import of_model
from tfprof_report.cli.config.make_policy import policies_from
from tfprof_report.cli.params.history_options import HistoryValues
from tfprof_report.cli.params.report_options import GateValues
from tfprof_report.clock import moment, now
from tfprof_report.compare.gates.policy import Policy, Subject
from tfprof_report.errors import BaselineError, OptionError
from tfprof_report.formatting import plural
from tfprof_report.history.build_history import EXPLAINED, Wanted, build_model
from tfprof_report.history.git_log import read_log, read_tags
from tfprof_report.history.history_data import FailedModel, History, ModelHistory
from tfprof_report.history.in_order import oldest_first
from tfprof_report.ingest.files.file_bytes import read_bytes
from tfprof_report.options import flag, hint_at, unknown_word
from tfprof_report.record import record
from tfprof_report.render.history.history_content import HistoryContent
from tfprof_report.render.history.history_document import render_history_markdown
from tfprof_report.render.history.history_files import render_history_json, render_history_parquet
from tfprof_report.render.history.history_page import render_history_html
from tfprof_report.render.markdown.document import LEAST_CHARS, MAX_CHARS
from tfprof_report.report.links import Links, read_links
from tfprof_report.report.starts import start_of
from tfprof_report.report.store.commits import Commits, parse_commits
from tfprof_report.report.store.index import indexed_models, read_index
from tfprof_report.report.store.place import Place, open_place, refused
from tfprof_report.report.store.store import check_model
from tfprof_report.report.store.usable import passed_words
from tfprof_report.report.tags import parse_tags
from tfprof_report.schema.index_columns import FIGURES

FILES = ("history.html", "history.md", "history.parquet", "history.json")


@record
class HistoryWork:
    """A history that is ready to be built: its options are checked, its commits are read, and its store is open."""

    values: HistoryValues
    place: Place
    commits: Commits
    start: Start
    wanted: Wanted
    links: Links

    def all_models(self) -> list[str]:
        """Return all models of the store; a BaselineError if it cannot be read."""
        with refused(self.values.store, BaselineError, "read"):
            return indexed_models(self.place)

    def models(self) -> list[str]:
        """Return the models to show; a BaselineError if there is none, or not one that was asked for."""
        values, place, there = self.values, self.place, self.all_models()
        for name in values.model or ():
            check_model(name)
            if name not in there:
                problem, advice = f"holds no baseline of the model {name}", hint_at(name, there)
                raise BaselineError(problem, file=place.name, advice=advice)
        if not there:
            raise BaselineError("holds no baselines", file=place.name, advice="check the name of the store")
        return list(dict.fromkeys(values.model)) if values.model else there

    def policies(self, rules: AppliedRules, names: Sequence[str]) -> dict[str, Policy]:
        """Return the gates of each model: those to judge by, or only those of the rules file, whose limits are shown.

        Raises
        ------
        OptionError
            A gate is none, is for no model of the store, or starts at no commit of the list.
        """
        gates = self.values.job.gates
        if is_judging(self.values):
            given = GateValues(gate=gates.gate, acknowledged=gates.acknowledged, max_unmatched=gates.max_unmatched)
            policies = policies_from(given, rules, self.all_models())
        else:
            for option, value in (("acknowledged", gates.acknowledged), ("max_unmatched", gates.max_unmatched)):
                if value is not None and option not in rules.params:
                    raise OptionError("nothing is judged", option=flag(option), advice="give --judge or --gate")
            policies = {name: Policy(gates=of_model(rules.gates, name)) for name in names}
        for gate in dict.fromkeys(gate for name in names for gate in policies[name].gates):
            is_shown = is_judging(self.values) or gate.subject is Subject.MODEL
            if is_shown and gate.reference and not gate.reference.folder:
                start_of(gate, self.wanted.commits, self.wanted.tags)
        return {name: policies[name] for name in names}

    def history(self, models: Sequence[ModelHistory], failed: Sequence[FailedModel] = ()) -> History:
        """Return the history of models, without the address of a local store, which depends on where pages are.

        Raises
        ------
        BaselineError
            No report is of a commit of the list.
        """
        values, start = self.values, self.start
        self._check_found(models)
        return History(
            tool_version=__version__,
            timestamp=values.timestamp or now(),
            store=self.place.name,
            store_url=check_store_url(values.store_url) or "",
            commits=self.commits.ids[start.shown :],
            since=start.words if values.last is None else f"(the last {values.last:,})",
            models=tuple(models),
            links=self.links,
            failed=tuple(failed),
        )

    def seen_from(self, folder: str, history: History) -> History:
        """Return a history whose pages in `folder` link to a local store, unless the user gave its address."""
        return replace(history, store_url=store_address(self.values.store_url, self.place, folder))

    def render(self, history: History, content: HistoryContent) -> dict[str, bytes]:
        """Return the files of a history by name."""
        files = (
            render_history_html(history, content).encode(),
            render_history_markdown(content, self.values.max_chars or MAX_CHARS).encode(),
            render_history_parquet(history),
            render_history_json(history).encode(),
        )
        return dict(zip(FILES, files, strict=True))

    def _check_found(self, found: Sequence[ModelHistory]) -> None:
        """Raise BaselineError if no report is of a commit of the list: nothing to show is not a history."""
        commits, start, name = self.commits, self.start, self.place.name
        if any(model.rows.num_rows for model in found):
            return
        if start.first == len(commits.ids):
            raise BaselineError(
                f"no commit of the list is {start.words}", option="--since", advice="give an earlier day"
            )
        count = sum(model.elsewhere for model in found)
        if not count:
            advice = "the warnings say why" if any(model.left_out for model in found) else "check the name of the store"
            raise BaselineError("has no report that can be shown", file=name, advice=advice)
        words = f"has {plural(count, 'report')}, none of the {plural(len(commits.ids), 'commit')} to show"
        raise BaselineError(words, file=name, advice="check the list of commits, and save under full ids")


def is_judging(values: HistoryValues) -> bool:
    """Return whether the newest reports are judged."""
    return values.job.gates.judge or bool(values.job.gates.gate)


def build_one(place: Place, values: HistoryValues, name: str, wanted: Wanted, policy: Policy) -> ModelHistory:
    """Return the history of a model; BaselineError if the store cannot be read, or a report that is judged."""
    with refused(values.store, BaselineError, "read"):
        indexed = read_index(place, name, moment())
        judged = policy if is_judging(values) else None
        return build_model(name, indexed, place, wanted, policy.gates, judged=judged)


def history_work(values: HistoryValues, more: Sequence[str] = ()) -> HistoryWork:
    """Return the history that the options ask for, ready to be built; `more` are figures that are shown as well.

    Raises
    ------
    TfprofReportError
        An option is wrong, or the commits or the store cannot be read.
    """
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
        more=tuple(more),
        explained=EXPLAINED if values.compare is None else values.compare,
    )
    with refused(values.store, BaselineError, "read"):
        place = open_place(values.store)
    return HistoryWork(values=values, place=place, commits=commits, start=start, wanted=wanted, links=links)


def check_history(values: HistoryValues) -> None:
    """Raise OptionError for options that contradict each other or say nothing."""
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
        (values.jobs, "--jobs", 1),
        (values.max_chars, "--max-chars", LEAST_CHARS),
    ):
        if value is not None and value < least:
            raise OptionError(f"{value} is too few", option=option, advice=f"give {least} or more")
    for metric in values.metric or ():
        if metric not in FIGURES:
            raise unknown_word(metric, option="--metric", known=FIGURES)


def warnings_of(model: ModelHistory) -> Iterator[str]:
    """Yield which reports of a model are left out, and why, and which figures no report knows."""
    for words in (*passed_words(model.left_out), *(f"no report knows {stem}" for stem in model.never)):
        yield f"{model.name}: {words}"


def _commits(values: HistoryValues) -> tuple[Commits, Mapping[str, tuple[str, ...]] | None]:
    """Return the commits, the oldest first, and the tags of each; None where no file has them."""
    if values.git is not None:
        commits = parse_commits(read_log(values.git), values.git)
        return oldest_first(commits), parse_tags(read_tags(values.git), values.git)
    file = values.ancestors or ""
    commits = parse_commits(read_bytes(file, option="--ancestors"), file)
    tags = parse_tags(read_bytes(values.tags, option="--tags"), values.tags) if values.tags is not None else None
    return oldest_first(commits), tags
