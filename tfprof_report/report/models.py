"""A report on several models: what it keeps of each, the verdict over all, and reading one back.

Its folder has a subfolder per model, which is a complete report, and a summary that lists them.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import field
from enum import StrEnum
from pathlib import Path
from typing import Any

from tfprof_report.compare.comparison import State
from tfprof_report.compare.gates.verdict import Outcome, Verdict
from tfprof_report.errors import BaselineError, InputError, not_utf8
from tfprof_report.formatting import plural
from tfprof_report.ingest.files.file_bytes import bytes_of, why_unread
from tfprof_report.ingest.files.folders import is_file, join
from tfprof_report.model.flops.evaluate import FLOP_STEMS
from tfprof_report.model.shapes.basis import basis_of
from tfprof_report.record import record
from tfprof_report.report.changed import has_changed
from tfprof_report.report.links import Links
from tfprof_report.report.report import Report
from tfprof_report.report.unfinished import why_half_written
from tfprof_report.schema.compatible import version_problem
from tfprof_report.schema.files import HTML, MARKDOWN, SUMMARY, VERDICT
from tfprof_report.schema.metrics import Number
from tfprof_report.urls import is_url, name_of

_NAME = re.compile(r"[^\W_](?:[\w.-]*[\w-])?")
_LONGEST_NAME = 100
_TAKEN = (HTML, MARKDOWN, SUMMARY, VERDICT)
INDEX_FOLDER = "index"
"""The folder of a store with the totals of all reports."""
_DEVICES = {"con", "prn", "aux", "nul", *(f"{port}{digit}" for port in ("com", "lpt") for digit in range(10))}
"""Names that Windows reserves for devices, with any extension."""

_UNLIKE = (AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""Exceptions raised when a file is not a summary of this version."""

_FINISHED = "give the folder of a finished report of several models, or name files with --base-model"
_AGAIN = "write that report again with this version"


class ModelStatus(StrEnum):
    """Which sides have a model."""

    REPORTED = "reported"  # the report has no base at all
    COMPARED = "compared"
    NEW = "new"  # the base has other models
    GONE = "gone"  # head has other models


_ONE_SIDED = (ModelStatus.GONE, ModelStatus.NEW)


@record
class ModelFigure:
    """The total of one metric over a model. Numbers are None if unknown, or if a side lacks the model.

    With unknown nodes a side's number is a lower bound. `basis` is what head's rests on (``at batch 1 of x``).

    `percent` and `state` are those of `TotalDelta`; None unless both sides have the model.
    """

    stem: str
    base: Number | None = None
    head: Number | None = None
    delta: Number | None = None
    percent: float | None = None
    state: State | None = None
    base_unknown: int = 0
    head_unknown: int = 0
    basis: str = ""


@record
class Model:
    """One of several models. `nodes` is the number of nodes of head, or of base if the model is gone.

    `has_changed` is whether anything but time differs from base (`changed.has_changed`).
    """

    name: str
    status: ModelStatus
    verdict: Verdict
    nodes: int
    figures: tuple[ModelFigure, ...]
    has_changed: bool = False

    def figure(self, stem: str) -> ModelFigure:
        """Return the total of a metric; an unknown one where the model has no such figure."""
        return next((figure for figure in self.figures if figure.stem == stem), ModelFigure(stem=stem))


@record
class ModelsReport:
    """Several models, in the user's order, with those that are gone last."""

    tool_version: str
    schema_version: int
    label: str | None
    commit: str | None
    branch: str | None
    timestamp: str
    models: tuple[Model, ...]
    verdict: Verdict
    links: Links = field(default_factory=Links)


def name_problem(name: str) -> str | None:
    """Return why a model cannot have this name, None if it can: each system and a store have a folder of it."""
    if folded(name) == INDEX_FOLDER:
        return "a store keeps the totals of its reports under this name"
    return folder_problem(name)


def folder_problem(name: str) -> str | None:
    """Return why a report of several models cannot have a folder of this name; earlier versions wrote some more."""
    if not name:
        return "the name of the model is empty"
    if len(name.encode(errors="replace")) > _LONGEST_NAME:
        return f"the name is longer than {_LONGEST_NAME} bytes"
    if not _NAME.fullmatch(name):
        return "a name has letters, digits, _ - and . only, starts with a letter or digit and does not end with a dot"
    if folded(name).partition(".")[0] in _DEVICES:
        return "Windows reserves this name for a device"
    if folded(name) in _TAKEN or folded(name).endswith(".parquet"):
        return "a file of the report has this name"
    return None


def folded(name: str) -> str:
    """Return a key that is equal for names that some file system does not distinguish."""
    return unicodedata.normalize("NFKC", name).casefold()


def model_of(name: str, report: Report, status: ModelStatus) -> Model:
    """Return what a report on several models keeps of the report of one: that of base for a model that is gone."""
    if status is ModelStatus.GONE:
        words = f"the baseline has the model {name}, this report has not"
        verdict = Verdict(text=f"INCONCLUSIVE: {words}.", outcome=Outcome.INCONCLUSIVE)
    else:
        verdict = report.verdict
    return Model(
        name=name,
        status=status,
        verdict=verdict,
        nodes=report.head.nodes.num_rows,
        figures=_compared_figures(report) if status is ModelStatus.COMPARED else _figures(report, status),
        has_changed=bool(has_changed(report)),
    )


def _compared_figures(report: Report) -> tuple[ModelFigure, ...]:
    comparison = report.comparison
    if comparison is None:
        return ()
    return tuple(
        ModelFigure(
            stem=total.stem,
            base=total.base,
            head=total.head,
            delta=total.delta,
            percent=total.percent,
            state=total.state,
            base_unknown=total.base_unknown,
            head_unknown=total.head_unknown,
            basis=_basis(report, total.stem),
        )
        for total in comparison.all_totals
    )


def _figures(report: Report, status: ModelStatus) -> tuple[ModelFigure, ...]:
    unknown = report.unknown
    totals: dict[str, Number | None] = {total.stem: total.value for total in report.totals}
    totals |= {stem: value for stem, (value, _, _) in report.head.step_figures.items()}
    if status is ModelStatus.GONE:
        return tuple(ModelFigure(stem=stem, base=value, base_unknown=unknown[stem]) for stem, value in totals.items())
    return tuple(
        ModelFigure(stem=stem, head=value, head_unknown=unknown[stem], basis=_basis(report, stem))
        for stem, value in totals.items()
    )


def _basis(report: Report, stem: str) -> str:
    return basis_of(report.head.nodes).words if stem in FLOP_STEMS else ""


_NAMED = 8
"""Maximum number of models named in a sentence."""

_WORSE = (Outcome.FAILED, Outcome.INCONCLUSIVE)
"""Outcomes whose models are named first in the sentence over all models."""


def judge_models(models: Sequence[Model]) -> Verdict:
    """Return the verdict over all models: the worst of their outcomes and a sentence.

    A model that is gone makes it inconclusive, since it may have been removed on purpose or forgotten by a job. A new
    model does not, unless it has a gate that needs a base.
    """
    outcome = Outcome.worst(model.verdict.outcome for model in models)
    there = [model for model in models if model.status is not ModelStatus.GONE]
    found = {word: [model for model in there if model.verdict.outcome is word] for word in Outcome}
    bad = [f"{len(found[word]):,} {word} ({_names(found[word])})" for word in _WORSE if found[word]]
    passed = [f"{len(found[Outcome.OK]):,} OK"] if found[Outcome.OK] else []
    text = f"of {plural(len(there), 'model')} {', '.join([*bad, *passed])}"
    is_any_judged = there != found[Outcome.NOT_JUDGED]
    text = text if bad else f"nothing {'failed' if is_any_judged else 'was judged'} in {plural(len(there), 'model')}"
    others = {
        "without a baseline": found[Outcome.NO_BASELINE],
        "not judged": found[Outcome.NOT_JUDGED] if is_any_judged else [],
        "changed": [model for model in models if model.has_changed],
    }
    others |= {status: [model for model in models if model.status is status] for status in _ONE_SIDED}
    parts = [text, *(f"{word}: {_names(those)}" for word, those in others.items() if those)]
    return Verdict(text=f"{outcome.upper()}: {'; '.join(parts)}.", outcome=outcome)


def _names(models: Sequence[Model]) -> str:
    named = ", ".join(model.name for model in models[:_NAMED])
    return f"{named} and {len(models) - _NAMED:,} more" if len(models) > _NAMED else named


def read_models_folder(path: str, error: type[InputError | BaselineError] = BaselineError) -> dict[str, str]:
    """Return the folder of each model in an earlier report on several models, by name.

    Raises
    ------
    BaselineError, or the class given as `error`
        The folder is incomplete, is the report of one model, or has a schema version that this version does not
        read.
    """
    file = join(path, SUMMARY)

    def unusable(file: str, problem: str, advice: str, details: str | None = None) -> InputError | BaselineError:
        option = "--baseline" if error is BaselineError else None
        return error(problem, file=file, option=option, advice=advice, details=details)

    try:
        summary = json.loads(bytes_of(file).decode())
        is_one, too_other = "models" not in summary, version_problem(summary["schema_version"])
        listed = {} if is_one or too_other else _listed(summary)
    except OSError as problem:
        if half_written := why_half_written(path):
            raise unusable(path, half_written.problem, half_written.advice) from problem
        raise unusable(file, f"cannot be read ({why_unread(problem, file)})", _FINISHED) from problem
    except UnicodeDecodeError as problem:
        raise unusable(file, not_utf8(problem), _AGAIN) from problem
    except _UNLIKE as problem:
        raise unusable(file, "is not the summary of a report of several models", _AGAIN, repr(problem)) from problem
    if too_other:
        raise unusable(file, too_other, _AGAIN)
    if is_one:
        raise unusable(file, "is the report of one model", "name it with --base-model NAME=FOLDER")
    folders = {name: join(path, name) for name in listed}
    for name, folder in folders.items():
        if found := _why_not_whole(folder, listed[name], file):
            raise unusable(join(folder, SUMMARY), *found)
    return folders


def _why_not_whole(folder: str, digest: str, file: str) -> tuple[str, str] | None:
    """Return what is wrong with the folder of a model that `file` lists, and what to do."""
    try:
        if _is_as_listed(folder, digest):
            return None
    except OSError as problem:
        return f"cannot be read ({why_unread(problem, folder)})", _FINISHED
    return f"is not the file that {name_of(file)} lists: the folder is incomplete or was changed", _AGAIN


def listed_models(folder: str) -> tuple[str, ...]:
    """Return the folders of models that the summary in `folder` lists and that are unchanged since."""
    try:
        listed = _listed(json.loads(bytes_of(join(folder, SUMMARY))))
        return tuple(join(folder, name) for name, digest in listed.items() if _is_as_listed(join(folder, name), digest))
    except (OSError, InputError, *_UNLIKE):
        return ()


def _listed(summary: dict[str, Any]) -> dict[str, str]:
    """Return the digests of the models' summaries by name; malformed content raises one of `_UNLIKE`."""
    listed = {str(model["name"]): model["summary"] for model in summary["models"]}
    for name in listed:
        if problem := folder_problem(name):
            raise ValueError(f"{name}: {problem}")
    return {name: str(entry["sha256"]) for name, entry in listed.items() if entry is not None}


def _is_as_listed(folder: str, digest: str) -> bool:
    """Return whether a folder (not a symlink) has a summary with this digest."""
    file = join(folder, SUMMARY)
    is_there = is_file(file) and (is_url(folder) or not Path(folder).is_symlink())
    return is_there and hashlib.sha256(bytes_of(file)).hexdigest() == digest
