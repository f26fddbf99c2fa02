"""``load``: a report folder, the files of a model, or a store of reports."""

from __future__ import annotations

import os
from pathlib import Path

from tfprof_report.api.make import make_report
from tfprof_report.api.report_result import ReportResult, StoredReportResult
from tfprof_report.api.reports_result import ReportsResult, read_models, read_store
from tfprof_report.errors import BaselineError, OptionError
from tfprof_report.report.models import INDEX_FOLDER, listed_models
from tfprof_report.report.store.place import open_place, refused
from tfprof_report.report.store.store import entries_of, models_in
from tfprof_report.report.unfinished import is_report_folder
from tfprof_report.urls import is_object_url, is_url


def load(path_or_url: str | os.PathLike[str]) -> ReportResult | ReportsResult:
    """Return what is at a path or URL, as tables.

    A folder that a report was written to gives that report; one of several models, and a store of baselines, the tables
    of all reports in it, with columns for model and commit. Anything else is taken for the files of a model, and is
    measured as ``report`` does without options and without a rules file. Each may be a URL, ``s3://BUCKET/PATH``.

    Raises
    ------
    TfprofReportError
        One of its subclasses: it cannot be read, or is none of these.
    """
    path = os.fspath(path_or_url)
    if not path:
        raise OptionError("the value is empty", option="path_or_url", advice="is a variable unset?")
    if (is_url(path) and not is_object_url(path)) or _is_store(path):  # only stores are at other URLs
        with refused(path, BaselineError, "read"):
            place = open_place(path)
        return ReportsResult(read_store(place, path))
    if is_report_folder(path):
        return ReportsResult(read_models(path)) if listed_models(path) else StoredReportResult(path)
    return make_report(path, config="none")


def _is_store(path: str) -> bool:
    """Return whether a folder has the index of a store, or a folder of a model with a report in it."""
    try:
        if not is_url(path) and not Path(path).is_dir():
            return False
        place = open_place(path)
        has_index = INDEX_FOLDER in place.folders() and bool(place.folders(INDEX_FOLDER))
        return has_index or any(entries_of(place, model) for model in models_in(place))
    except OSError:
        return False  # what is wrong with it is said where it is read
