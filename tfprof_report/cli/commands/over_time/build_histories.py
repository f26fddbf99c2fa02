"""Builds the histories of many models: one after the other in this process, or each as a task of a batch."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tfprof_report.cli.commands.over_time.history_work import HistoryWork, build_one
from tfprof_report.compare.gates.policy import Policy
from tfprof_report.errors import TfprofReportError
from tfprof_report.history.history_data import FailedModel, ModelHistory
from tfprof_report.record import record


@record
class Built:
    """The histories in the order of models, and the models that have none."""

    models: tuple[ModelHistory, ...]
    failed: tuple[FailedModel, ...]


def build_histories(work: HistoryWork, policies: Mapping[str, Policy], begin: Callable[[str], None]) -> Built:
    """Return the histories of the models that `policies` names; `begin` is told of each.

    They are the same on workers as in this process.

    Raises
    ------
    TfprofReportError
        The scheduler is not there or of another version, and nothing was started; or no model has a history.
    """
    values = work.values
    if values.scheduler is None and (values.jobs == 1 or len(policies) == 1):
        found = [_built(work, name, policy, begin) for name, policy in policies.items()]
    else:
        from tfprof_report.cli.commands.over_time.histories_on_workers import build_on_workers

        found = build_on_workers(work, policies, begin)
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
    work: HistoryWork, name: str, policy: Policy, begin: Callable[[str], None]
) -> ModelHistory | TfprofReportError:
    begin(name)
    try:
        return build_one(work.place, work.values, name, work.wanted, policy)
    except TfprofReportError as error:
        return error
