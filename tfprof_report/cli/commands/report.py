"""The commands `report` and `diff`: write a report folder."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import partial
from pathlib import Path

from tfprof_report.cli.commands.host_files import check_host_paths, content_of_one, write_for_hosts
from tfprof_report.cli.commands.jobs import job_from, jobs_from, links_from, max_chars_from, picks_from, side_of
from tfprof_report.cli.commands.past import past_of_one
from tfprof_report.cli.config.file import AppliedRules, print_rules_file
from tfprof_report.cli.config.make_policy import policy_from
from tfprof_report.cli.console import echo, print_lines, progress
from tfprof_report.cli.inputs import missing_words, print_diagnostics, print_notes, skips_missing_baseline
from tfprof_report.cli.params.model_options import InputValues
from tfprof_report.cli.params.report_options import DiffValues, JobValues, NameValues, ReportValues
from tfprof_report.errors import OptionError, log_line
from tfprof_report.job import report_steps, run_with_base
from tfprof_report.options import flag
from tfprof_report.render.content.identity import sides_facts
from tfprof_report.render.files.staging import Staging, clean_up
from tfprof_report.render.markdown.document import LEAST_CHARS
from tfprof_report.render.write import write_report
from tfprof_report.report.changed import has_news
from tfprof_report.report.explained import Explained
from tfprof_report.report.report import Report
from tfprof_report.schema.files import HTML, MARKDOWN, VERDICT


def write(values: ReportValues, rules: AppliedRules) -> int:
    """Write the report of one model or several, compared with a baseline if one is named; return the exit code."""
    job, base, models = values.job, values.base, values.models
    _check_out(job)
    clean_up(job.folder)
    has_base = base.source is not None or bool(base.files)
    words = [f"base_{field.name}" for field in fields(NameValues) if getattr(job.base_names, field.name)]
    words += ["baseline_info"] if job.baseline.baseline_info is not None else []
    named = [flag(word) for word in words if word not in rules.params]
    if named and not has_base and not models.base_model:
        raise OptionError("there is no base", option=named[0], advice="name one with --baseline or leave it out")
    bases = [base.source, *(text.partition("=")[2] for text in models.base_model or ())]
    check_host_paths(job, bases, [text.partition("=")[0] for text in models.model or ()])
    if models.model or models.base_model:
        from tfprof_report.cli.commands.several_models import write_several

        return write_several(values, rules)
    return _run(job, rules, head=values.head, base=base if has_base else None)


def write_diff(values: DiffValues, rules: AppliedRules) -> int:
    """Write the report of head compared with base; return the exit code."""
    _check_out(values.job)
    clean_up(values.job.folder)
    for word, side in (("BASE", values.base), ("HEAD", values.head)):
        if side.source is None and not side.name:
            raise OptionError(f"{word} is missing", advice="give BASE HEAD, or --base-graph and --head-graph")
    check_host_paths(values.job, [values.base.source])
    return _run(values.job, rules, head=values.head, base=values.base)


def _check_out(values: JobValues) -> None:
    if values.out is None:
        raise OptionError("Missing option '--out'", advice="name the folder to write, here or in the rules file")
    if max_chars_from(values) < LEAST_CHARS:
        raise OptionError(
            f"{values.max_chars} is too few for the verdict",
            option="--max-chars",
            advice=f"give {LEAST_CHARS} or more",
        )
    if jobs_from(values) < 1:
        raise OptionError(f"{values.jobs} is no number of jobs", option="--jobs", advice="give 1 or more")
    links_from(values)  # a usage error comes before those in inputs


def _run(values: JobValues, rules: AppliedRules, *, head: InputValues, base: InputValues | None) -> int:
    policy = policy_from(values.gates, rules, values.names.label)
    past = past_of_one(values.drift, policy, values.names.label)
    job = replace(job_from(values, rules, policy, head=side_of(head, rules), side=head.side), past=past)
    may_miss = values.baseline.baseline_missing
    if base and skips_missing_baseline(base.name, may_miss):
        job = replace(job, base_missing=True, base_problem=missing_words(base.name, may_miss))
        base = None
    if base:
        job = replace(job, picks=picks_from(values))
    explained = Explained(values.gates.explain or ())
    steps = report_steps(job.head, has_base=base is not None)
    with Staging(values.folder) as staging, progress(steps) as show:
        report, base_side = run_with_base(job, partial(side_of, base, rules) if base else None, show)
        explained.add(report)
        explained.check()
        is_brief = values.gates.only_if_changed and not has_news(report)
        files = write_report(
            report,
            staging,
            max_chars=max_chars_from(values),
            verdict_alone=is_brief,
            jobs=job.jobs,
            progress=lambda name: show(f"writing {name}"),
        )
    print_notes(job.head, base_side)
    print_diagnostics(report.diagnostics)
    print_rules_file(rules)
    _print_result(report, values.folder, files)
    print_lines(explained.lines)
    write_for_hosts(values, content_of_one(report, is_brief=is_brief))
    return report.verdict.exit_code


def _print_result(report: Report, folder: str, files: tuple[str, ...]) -> None:
    tables = [name for name in files if name.endswith(".parquet")]
    kinds = {"HTML": [HTML], "Markdown": [MARKDOWN], "Parquet": tables, "Verdict": [VERDICT]}
    for kind, names in kinds.items():
        if there := [str(Path(folder) / name) for name in names if name in files]:
            echo(f"{kind:<9} {', '.join(there)}")
    for side in sides_facts(report) if report.comparison else ():
        echo(f"{side.word.capitalize():<9} {log_line(side.words)}")
    echo(log_line(report.verdict.text))
