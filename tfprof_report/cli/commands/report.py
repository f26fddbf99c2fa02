"""The commands `report` and `diff`: write a report folder."""

from __future__ import annotations

from pathlib import Path

from tfprof_report.cli.commands.host_files import check_host_paths, content_of_one, write_for_hosts
from tfprof_report.cli.commands.report_work import check_base, check_job, check_sides, report_work
from tfprof_report.cli.config.file import AppliedRules
from tfprof_report.cli.console import echo, print_lines, progress
from tfprof_report.cli.notes import print_diagnostics, print_notes, print_rules_file
from tfprof_report.cli.params.model_options import InputValues
from tfprof_report.cli.params.report_options import DiffValues, JobValues, ReportValues
from tfprof_report.errors import OptionError, log_line
from tfprof_report.render.content.identity import sides_facts
from tfprof_report.render.files.staging import Staging, clean_up
from tfprof_report.render.write import write_report
from tfprof_report.report.report import Report
from tfprof_report.schema.files import HTML, MARKDOWN, VERDICT


def write(values: ReportValues, rules: AppliedRules) -> int:
    """Write the report of one model or several, compared with a baseline if one is named; return the exit code."""
    job, base, models = values.job, values.base, values.models
    _check_out(job)
    clean_up(job.folder)
    has_base = check_base(values, rules)
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
    check_sides(values)
    check_host_paths(values.job, [values.base.source])
    return _run(values.job, rules, head=values.head, base=values.base)


def _check_out(values: JobValues) -> None:
    if values.out is None:
        raise OptionError("Missing option '--out'", advice="name the folder to write, here or in the rules file")
    check_job(values)


def _run(values: JobValues, rules: AppliedRules, *, head: InputValues, base: InputValues | None) -> int:
    work = report_work(values, rules, head=head, base=base)
    with Staging(values.folder) as staging, progress(work.steps) as show:
        made = work.make(show)
        files = write_report(
            made.report,
            staging,
            max_chars=made.max_chars,
            verdict_alone=made.is_brief,
            jobs=made.jobs,
            progress=lambda name: show(f"writing {name}"),
        )
    report = made.report
    print_notes(made.head, made.base)
    print_diagnostics(report.diagnostics)
    print_rules_file(rules.path)
    _print_result(report, values.folder, files)
    print_lines(made.explained)
    write_for_hosts(values, content_of_one(report, is_brief=made.is_brief))
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
