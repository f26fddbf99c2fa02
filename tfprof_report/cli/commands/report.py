"""The commands that write a report folder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields, replace
from itertools import groupby
from pathlib import Path

from tfprof_report.cli.commands.host_files import check_hosts, tell_hosts, tell_of_one
from tfprof_report.cli.commands.jobs import job_from, max_chars_from, report_of, side_of
from tfprof_report.cli.config.file import AppliedRules, print_rules_file
from tfprof_report.cli.config.make_policy import policy_from
from tfprof_report.cli.console import echo, may_be_cut_short, progress
from tfprof_report.cli.inputs import goes_without, print_diagnostics, print_notes
from tfprof_report.cli.params.model_options import InputValues
from tfprof_report.cli.params.report_options import DiffValues, JobValues, NameValues, ReportValues
from tfprof_report.clock import moment_of
from tfprof_report.compare.gates.explain import Explanation, explain
from tfprof_report.compare.gates.policy import Gate
from tfprof_report.errors import OptionError, log_line
from tfprof_report.options import flag
from tfprof_report.render.content.first_screen import side_facts
from tfprof_report.render.content.sections import sides_of
from tfprof_report.render.markdown.document import LEAST_CHARS
from tfprof_report.render.write import write_report
from tfprof_report.report.changed import has_news
from tfprof_report.report.report import Report
from tfprof_report.schema.files import HTML, MARKDOWN, VERDICT


class Explained:
    """Explanations of the rows called `names`, in one model or in several, of which one at least has to have each."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = tuple(dict.fromkeys(names))
        self._lines: dict[str, list[str]] = {name: [] for name in self._names}
        self._unknown: dict[str, OptionError] = {}

    def add(self, report: Report, of: str | None = None) -> None:
        """Explain the rows of one report; `of` is the name of its model, if there are several."""
        today = moment_of(report.timestamp).date()
        for name in self._names:
            try:
                found = explain(report.head, report.comparison, report.policy, name, today=today)
            except OptionError as error:
                self._unknown.setdefault(name, error)
            else:
                self._lines[name] += _in_words(found, f"{of}: " if of else "")

    def check(self) -> None:
        """Raise OptionError if no model has a row of one of the names: before anything is written."""
        for name, lines in self._lines.items():
            if not lines and name in self._unknown:
                raise self._unknown[name]

    def print(self) -> None:
        """Print them, in the order of the names."""
        for lines in self._lines.values():
            for line in lines:
                echo(log_line(line))


def _in_words(found: Iterable[Explanation], lead: str) -> Iterator[str]:
    """Yield a line for each row, and below it one for each metric."""
    for (subject, name), metrics in groupby(found, lambda each: (each.subject, each.name)):
        yield f"{lead}{subject} {name}"
        for each in metrics:
            what = f"{_gate(each.gate)} {each.row.status}" if each.gate else f"{each.metric}, no gate"
            yield f"  {what}: {each.row.text}"
            if each.earlier:
                yield f"    instead of {', '.join(map(_gate, each.earlier))}"


def _gate(gate: Gate) -> str:
    return f"{gate.text} ({gate.source})"


def write(values: ReportValues, rules: AppliedRules) -> int:
    """Write the report of one model or several, compared with a baseline if one is named; return the exit code."""
    job, base, models = values.job, values.base, values.models
    _check_out(job)
    has_base = base.source is not None or bool(base.files)
    words = [f"base_{field.name}" for field in fields(NameValues) if getattr(job.base_names, field.name)]
    named = [flag(word) for word in words if word not in rules.params]
    if named and not has_base and not models.base_model:
        raise OptionError("there is no base", option=named[0], advice="name one with --baseline or leave it out")
    check_hosts(job, [base.source, *(text.partition("=")[2] for text in models.base_model or ())])
    if models.model or models.base_model:
        from tfprof_report.cli.commands.several_models import write_models

        return write_models(values, rules)
    return _run(job, rules, head=values.head, base=base if has_base else None)


def write_diff(values: DiffValues, rules: AppliedRules) -> int:
    """Write the report of head compared with base; return the exit code."""
    _check_out(values.job)
    for word, side in (("BASE", values.base), ("HEAD", values.head)):
        if side.source is None and not side.name:
            raise OptionError(f"{word} is missing", advice="give BASE HEAD, or --base-graph and --head-graph")
    check_hosts(values.job, [values.base.source])
    return _run(values.job, rules, head=values.head, base=values.base)


def _check_out(values: JobValues) -> None:
    if values.out is None:
        raise OptionError("Missing option '--out'", advice="name the folder to write, here or in the rules file")
    if not values.out:
        raise OptionError("the name of the folder is empty", option="--out", advice="name the folder to write")
    if max_chars_from(values) < LEAST_CHARS:
        raise OptionError(
            f"{values.max_chars} is too few for the verdict",
            option="--max-chars",
            advice=f"give {LEAST_CHARS} or more",
        )


def _run(values: JobValues, rules: AppliedRules, *, head: InputValues, base: InputValues | None) -> int:
    policy = policy_from(values.gates, rules, values.names.label)
    job = job_from(values, rules, head=side_of(head, rules), side=head.side)
    if base and goes_without(base.name, values.baseline.baseline_missing):
        job, base = replace(job, base_missing=True), None
    with progress() as show:
        report, base_side = report_of(job, lambda: side_of(base, rules) if base else None, policy, show)
        explained = Explained(values.gates.explain or ())
        explained.add(report)
        explained.check()
        is_brief = values.gates.only_if_changed and not has_news(report)
        files = write_report(
            report,
            values.folder,
            max_chars=max_chars_from(values),
            verdict_alone=is_brief,
            progress=lambda name: show(f"writing {name}"),
        )
    print_notes(job.head, base_side)
    print_diagnostics(report.diagnostics)
    with may_be_cut_short():
        print_rules_file(rules)
        _print_result(report, values.folder, files)
        explained.print()
    tell_hosts(values, tell_of_one(report, is_brief=is_brief))
    return report.verdict.exit_code


def _print_result(report: Report, folder: str, files: tuple[str, ...]) -> None:
    tables = [name for name in files if name.endswith(".parquet")]
    kinds = {"HTML": [HTML], "Markdown": [MARKDOWN], "Parquet": tables, "Verdict": [VERDICT]}
    for kind, names in kinds.items():
        if there := [str(Path(folder) / name) for name in names if name in files]:
            echo(f"{kind:<9} {', '.join(there)}")
    for word, side in sides_of(report) if report.comparison else ():
        echo(f"{word.capitalize():<9} {log_line(side_facts(word, side).words)}")
    echo(log_line(report.verdict.text))
