"""``make_report``, ``make_diff``, ``make_history``: what the commands `report`, `diff` and `history` do, as calls."""

from __future__ import annotations

from typing import Any, Unpack, get_type_hints

from tfprof_report.api.arguments import describe, parsed_from
from tfprof_report.api.history_result import HistoryResult
from tfprof_report.api.report_result import MadeReportResult
from tfprof_report.api.typed_options import DiffOptions, HistoryOptions, ReportOptions, StrPath
from tfprof_report.cli.commands.over_time.build_histories import build_histories
from tfprof_report.cli.commands.over_time.history_work import check_history, history_work, warnings_of
from tfprof_report.cli.commands.report_work import check_base, check_job, check_sides, report_work
from tfprof_report.cli.config.file import rules_applied
from tfprof_report.cli.params.history_options import HistoryValues
from tfprof_report.cli.params.report_options import DiffValues, ReportValues
from tfprof_report.errors import OptionError
from tfprof_report.render.history.history_content import history_content


def make_report(inputs: StrPath | None = None, **options: Unpack[ReportOptions]) -> MadeReportResult:
    """Return the report of one model, compared with a baseline if one is named, as the command ``report`` makes it.

    Options are those of the command, with underscores: ``--leave-out`` is ``leave_out``. What may be repeated takes a
    list. A rules file is found as by the command; ``config="none"`` reads none. Nothing is printed or written.

    Parameters
    ----------
    inputs : a graph file, a folder of inputs, or the folder of an earlier report
    **options : the options of the command

    Raises
    ------
    TfprofReportError
        One of its subclasses, with the line that the command prints.
    """
    with rules_applied(parsed_from(ReportValues, {"inputs": inputs, **options})) as (values, rules):
        check_job(values.job)
        has_base = check_base(values, rules)
        if values.models.model:
            names = ", ".join(text.partition("=")[0] for text in values.models.model)
            advice = "give the inputs of one model, or config='none'"
            raise OptionError(f"the rules file names several models ({names})", option="inputs", advice=advice)
        work = report_work(values.job, rules, head=values.head, base=values.base if has_base else None)
        return MadeReportResult(work.make(_unseen))


def make_diff(
    base: StrPath | None = None, head: StrPath | None = None, **options: Unpack[DiffOptions]
) -> MadeReportResult:
    """Return the report of a model compared with another one, as the command ``diff`` makes it.

    Parameters
    ----------
    base, head : a graph file, a folder of inputs, or the folder of an earlier report each
    **options : the options of the command, as in `make_report`

    Raises
    ------
    TfprofReportError
        One of its subclasses, with the line that the command prints.
    """
    with rules_applied(parsed_from(DiffValues, {"base": base, "head": head, **options})) as (values, rules):
        check_job(values.job)
        check_sides(values)
        return MadeReportResult(report_work(values.job, rules, head=values.head, base=values.base).make(_unseen))


def make_history(store: StrPath, **options: Unpack[HistoryOptions]) -> HistoryResult:
    """Return how the figures of the models in a store moved over commits, as the command ``history`` finds it.

    Parameters
    ----------
    store : a folder, or the URL of an object store
    **options : the options of the command, as in `make_report`; ``git`` or ``ancestors`` is needed

    Raises
    ------
    TfprofReportError
        One of its subclasses, with the line that the command prints.
    """
    with rules_applied(parsed_from(HistoryValues, {"store": store, **options})) as (values, rules):
        check_history(values)
        work = history_work(values)
        built = build_histories(work, work.policies(rules, work.models()), _unseen)
        history = work.history(built.models, built.failed)
        warnings = tuple(words for model in built.models for words in warnings_of(model))
        warnings += tuple(f"{failed.name}: {failed.reason}" for failed in built.failed)
        return HistoryResult(work, history, history_content(history), warnings)


def _unseen(_: str) -> None:
    """Show no progress."""


def _describe_all() -> None:
    kinds: tuple[tuple[Any, Any, Any], ...] = (
        (make_report, ReportValues, ReportOptions),
        (make_diff, DiffValues, DiffOptions),
        (make_history, HistoryValues, HistoryOptions),
    )
    for function, kind, options in kinds:
        describe(function, kind, get_type_hints(options))


_describe_all()
