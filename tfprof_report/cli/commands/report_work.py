"""A report of one model, from the values of its options to the report: what the commands and Python share.

Nothing is printed or written here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from functools import partial

from tfprof_report.cli.commands.jobs import job_from, jobs_from, links_from, max_chars_from, picks_from, side_of
from tfprof_report.cli.commands.past import past_of_one
from tfprof_report.cli.config.file import AppliedRules
from tfprof_report.cli.config.make_policy import policy_from
from tfprof_report.cli.inputs import missing_words, skips_missing_baseline
from tfprof_report.cli.params.model_options import InputValues
from tfprof_report.cli.params.report_options import DiffValues, JobValues, NameValues, ReportValues
from tfprof_report.errors import OptionError
from tfprof_report.ingest.paths import InputPaths
from tfprof_report.job import Job, report_steps, run_with_base
from tfprof_report.model.read_model import Progress
from tfprof_report.options import flag
from tfprof_report.record import record
from tfprof_report.render.markdown.document import LEAST_CHARS
from tfprof_report.report.changed import has_news
from tfprof_report.report.explained import Explained
from tfprof_report.report.report import Report


@record
class MadeReport:
    """A report with what it was made from.

    base : None for a report without a base
    is_brief : whether verdict.json is all that is to be written
    explained : the lines that explain the rows that were asked for
    max_chars : most characters of the Markdown
    jobs : how many files may be rendered at the same time
    """

    report: Report
    head: InputPaths | str
    base: InputPaths | str | None
    is_brief: bool
    explained: tuple[str, ...]
    max_chars: int
    jobs: int


@record
class ReportWork:
    """A report that is ready to be made: its options are checked, and its files are found but not read.

    steps : about how many steps it takes to make and write it
    """

    job: Job
    find_base: Callable[[], InputPaths | str] | None
    explained: Explained
    only_if_changed: bool
    max_chars: int
    steps: int

    def make(self, progress: Progress) -> MadeReport:
        """Return the report; a TfprofReportError if that is not possible."""
        report, base = run_with_base(self.job, self.find_base, progress)
        self.explained.add(report)
        self.explained.check()
        return MadeReport(
            report=report,
            head=self.job.head,
            base=base,
            is_brief=self.only_if_changed and not has_news(report),
            explained=self.explained.lines,
            max_chars=self.max_chars,
            jobs=self.job.jobs,
        )


def check_job(values: JobValues) -> None:
    """Raise OptionError for a value that cannot be, before anything is read."""
    if max_chars_from(values) < LEAST_CHARS:
        raise OptionError(
            f"{values.max_chars} is too few for the verdict",
            option="--max-chars",
            advice=f"give {LEAST_CHARS} or more",
        )
    if jobs_from(values) < 1:
        raise OptionError(f"{values.jobs} is no number of jobs", option="--jobs", advice="give 1 or more")
    links_from(values)  # a usage error comes before those in inputs


def check_base(values: ReportValues, rules: AppliedRules) -> bool:
    """Return whether a base is named; an OptionError for options of the command line about a base that is not there."""
    job, base = values.job, values.base
    has_base = base.source is not None or bool(base.files)
    words = [f"base_{field.name}" for field in fields(NameValues) if getattr(job.base_names, field.name)]
    words += ["baseline_info"] if job.baseline.baseline_info is not None else []
    named = [flag(word) for word in words if word not in rules.params]
    if named and not has_base and not values.models.base_model:
        raise OptionError("there is no base", option=named[0], advice="name one with --baseline or leave it out")
    return has_base


def check_sides(values: DiffValues) -> None:
    """Raise OptionError if a side of a comparison is not named."""
    for word, side in (("BASE", values.base), ("HEAD", values.head)):
        if side.source is None and not side.name:
            raise OptionError(f"{word} is missing", advice="give BASE HEAD, or --base-graph and --head-graph")


def report_work(values: JobValues, rules: AppliedRules, *, head: InputValues, base: InputValues | None) -> ReportWork:
    """Return the report of `head`, compared with `base` if there is one, ready to be made.

    Raises
    ------
    TfprofReportError
        An option is wrong, or the files of head cannot be found.
    """
    policy = policy_from(values.gates, rules, values.names.label)
    past = past_of_one(values.drift, policy, values.names.label)
    job = replace(job_from(values, rules, policy, head=side_of(head, rules), side=head.side), past=past)
    may_miss = values.baseline.baseline_missing
    if base and skips_missing_baseline(base.name, may_miss):
        job = replace(job, base_missing=True, base_problem=missing_words(base.name, may_miss))
        base = None
    if base:
        job = replace(job, picks=picks_from(values))
    return ReportWork(
        job=job,
        find_base=partial(side_of, base, rules) if base else None,
        explained=Explained(values.gates.explain or ()),
        only_if_changed=values.gates.only_if_changed,
        max_chars=max_chars_from(values),
        steps=report_steps(job.head, has_base=base is not None),
    )
