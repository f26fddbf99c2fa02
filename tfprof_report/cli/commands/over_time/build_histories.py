"""Builds the histories of many models: one after the other in this process, or each as a task of a batch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sized

from tfprof_report.cli.commands.over_time.history_work import HistoryWork, build_one
from tfprof_report.cli.params.history_options import HistoryValues
from tfprof_report.compare.gates.policy import Policy
from tfprof_report.errors import TfprofReportError
from tfprof_report.history.history_data import FailedModel, ModelHistory
from tfprof_report.record import record


@record
class Built:
    """The histories in the order of models, and the models that have none."""

    models: tuple[ModelHistory, ...]
    failed: tuple[FailedModel, ...]


def runs_on_workers(values: HistoryValues, models: Sized) -> bool:
    """Return whether workers make the histories, at the same time."""
    return values.scheduler is not None or (values.jobs > 1 and len(models) > 1)


def build_histories(work: HistoryWork, policies: Mapping[str, Policy], show: Callable[[str], None]) -> Built:
    """Return the histories of the models that `policies` names.

    `show` is told of each model that begins, or if `runs_on_workers`, that is finished.

    They are the same on workers as in this process.

    Raises
    ------
    TfprofReportError
        The scheduler is not there or of another version, and nothing was started; or no model has a history.
    """
    if runs_on_workers(work.values, policies):
        from tfprof_report.cli.commands.over_time.histories_on_workers import build_on_workers

        found = build_on_workers(work, policies, show)
    else:
        found = [_built(work, name, policy, show) for name, policy in policies.items()]
    errors = {name: each for name, each in zip(policies, found, strict=True) if isinstance(each, TfprofReportError)}
    if len(errors) == len(policies) and len({str(error) for error in errors.values()}) == 1:
        raise next(iter(errors.values()))
    return Built(
        models=tuple(each for each in found if not isinstance(each, TfprofReportError)),
        failed=tuple(
            FailedModel(name=name, reason=str(error), exit_code=error.exit_code) for name, error in errors.items()
        ),
    )


def _built(
    work: HistoryWork, name: str, policy: Policy, show: Callable[[str], None]
) -> ModelHistory | TfprofReportError:
    show(name)
    try:
        return build_one(work.place, work.values, name, work.wanted, policy)
    except TfprofReportError as error:
        return error
