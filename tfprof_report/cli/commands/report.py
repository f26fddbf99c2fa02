"""The commands that write a report folder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

from tfprof_report.cli.commands.host_files import check_hosts, tell_hosts, tell_of_one
from tfprof_report.cli.commands.jobs import _NAMES, _names_files, job_from, max_chars_from, report_of, side_of
from tfprof_report.cli.config.file import print_rules_file
from tfprof_report.cli.config.make_policy import policy_from
from tfprof_report.cli.console import echo, may_be_cut_short, progress
from tfprof_report.cli.inputs import goes_without, print_diagnostics, print_notes
from tfprof_report.clock import moment_of
from tfprof_report.compare.gates.explain import Explanation, explain
from tfprof_report.compare.gates.policy import Gate
from tfprof_report.errors import OptionError, log_line
from tfprof_report.options import Options, flag
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


def write(values: dict[str, Any], defaults: Options) -> int:
    """Write the report of one model or several, compared with a baseline if one is named; return the exit code."""
    _check_out(values)
    has_base = values["baseline"] is not None or _names_files(values, "base-")
    named = [flag(name) for name in (f"base_{word}" for word in _NAMES) if values[name] and name not in values["ruled"]]
    if named and not has_base and not values["base_model"]:
        raise OptionError("there is no base", option=named[0], advice="name one with --baseline or leave it out")
    check_hosts(values, [values["baseline"], *(text.partition("=")[2] for text in values["base_model"] or ())])
    if values["model"] or values["base_model"]:
        from tfprof_report.cli.commands.several_models import write_models

        return write_models(values, defaults)
    return _run(values, defaults, head=values["inputs"], side="", base=values["baseline"], has_base=has_base)


def write_diff(values: dict[str, Any], defaults: Options) -> int:
    """Write the report of head compared with base; return the exit code."""
    _check_out(values)
    for word in ("base", "head"):
        if values[word] is None and not values[f"{word}_graph"] and not values[f"{word}_profile"]:
            raise OptionError(f"{word.upper()} is missing", advice="give BASE HEAD, or --base-graph and --head-graph")
    check_hosts(values, [values["base"]])
    return _run(values, defaults, head=values["head"], side="head-", base=values["base"], has_base=True)


def _check_out(values: dict[str, Any]) -> None:
    if values["out"] is None:
        raise OptionError("Missing option '--out'", advice="name the folder to write, here or in the rules file")
    if not values["out"]:
        raise OptionError("the name of the folder is empty", option="--out", advice="name the folder to write")
    if max_chars_from(values) < LEAST_CHARS:
        raise OptionError(
            f"{values['max_chars']} is too few for the verdict",
            option="--max-chars",
            advice=f"give {LEAST_CHARS} or more",
        )


def _run(
    values: dict[str, Any], defaults: Options, *, head: str | None, side: str, base: str | None, has_base: bool
) -> int:
    policy = policy_from(values, values["label"])
    job = job_from(values, defaults, head=side_of(values, head, side), side=side)
    job = replace(job, base_missing=has_base and goes_without(values, base))
    has_base = has_base and not job.base_missing
    with progress() as show:
        report, base_side = report_of(job, lambda: side_of(values, base, "base-") if has_base else None, policy, show)
        explained = Explained(values["explain"] or ())
        explained.add(report)
        explained.check()
        is_brief = values["only_if_changed"] and not has_news(report)
        files = write_report(
            report,
            values["out"],
            max_chars=max_chars_from(values),
            verdict_alone=is_brief,
            progress=lambda name: show(f"writing {name}"),
        )
    print_notes(job.head, base_side)
    print_diagnostics(report.diagnostics)
    with may_be_cut_short():
        print_rules_file(values["rules_file"])
        _print_result(report, values["out"], files)
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
