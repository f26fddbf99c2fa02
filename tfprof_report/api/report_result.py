"""The report of one model: made here, or read from a report folder."""

from __future__ import annotations

import json
import os
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

import pyarrow as pa

from tfprof_report.api.facts import FACTS, fact_table
from tfprof_report.api.result import Result
from tfprof_report.cli.commands.report_work import MadeReport
from tfprof_report.cli.inputs import warning_lines
from tfprof_report.compare.gates.policy import Policy
from tfprof_report.diagnostics import Diagnostic, Severity
from tfprof_report.errors import InputError
from tfprof_report.ingest.origin import Origin
from tfprof_report.render.content.first_screen import Screen, make_screen
from tfprof_report.render.content.sections import title_of
from tfprof_report.render.files.staging import Staging
from tfprof_report.render.html.notebook_cell import render_cell
from tfprof_report.render.machine.parquet import tables_of
from tfprof_report.render.machine.verdict_json import render_verdict
from tfprof_report.render.tables.cells import visible
from tfprof_report.render.write import write_report
from tfprof_report.report.build_report import build_report
from tfprof_report.report.folder import read_report_folder, restore_origin
from tfprof_report.report.read_back.folder_files import read_file, read_summary, read_table, usable_folder
from tfprof_report.report.read_back.restored_verdict import restore_verdict
from tfprof_report.report.store.store import read_to_save
from tfprof_report.schema.compatible import UnlikeError, as_now, known_fields
from tfprof_report.schema.files import VERDICT

_ENDING = ".parquet"


class ReportResult(Result):
    """The report of one model. In a notebook it shows its first screen."""

    @property
    @abstractmethod
    def _files(self) -> tuple[str, ...]:
        """The names of the Parquet files, without their ending."""

    @property
    @abstractmethod
    def _verdict(self) -> Mapping[str, Any]:
        """The content of verdict.json."""

    @abstractmethod
    def _file(self, name: str) -> pa.Table:
        """Return the table of a Parquet file."""

    @property
    @abstractmethod
    def _origin(self) -> Origin:
        """What was measured."""

    @abstractmethod
    def _screen(self) -> Screen:
        """Return the first screen."""

    @abstractmethod
    def _stage(self, staging: Staging) -> None:
        """Write the files by a `Staging`."""

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of all tables, as of the files of a report; also ``totals``, ``gates`` and ``verdict``."""
        return (*self._files, *FACTS)

    @property
    def outcome(self) -> str:
        """The verdict in a word: ``ok``, ``failed``, ``inconclusive``, ``no baseline`` or ``not judged``."""
        return str(self._verdict["status"])

    @property
    def exit_code(self) -> int:
        """The exit code that the command ends with: 0, 1 if a gate failed, or 5 if the verdict is inconclusive."""
        return int(self._verdict["exit_code"])

    @property
    def text(self) -> str:
        """The verdict as a sentence, the line that the command prints last."""
        return str(self._verdict["text"])

    @property
    def why(self) -> str:
        """Why the model changed, in a sentence; empty without a base, and if nothing is known."""
        return str(self._verdict["why"])

    @property
    def warnings(self) -> tuple[str, ...]:
        """The warnings that the command prints, one line each."""
        return tuple(warning_lines(_diagnostic(found) for found in self._verdict["warnings"]))

    def write(self, folder: str | os.PathLike[str]) -> None:
        """Write the report folder, with the bytes that the command writes; an earlier report there is replaced.

        Raises
        ------
        OutputError
            The folder cannot be written; the earlier report is whole.
        """
        with Staging(os.fspath(folder)) as staging:
            self._stage(staging)

    def _arrow(self, name: str) -> pa.Table:
        return fact_table(name, self._verdict) if name in FACTS else self._file(name)

    def __repr__(self) -> str:
        return f"<report of {visible(title_of(self._origin))}: {self.text}>"

    def _repr_html_(self) -> str:
        return render_cell(self._screen())


class MadeReportResult(ReportResult):
    """A report that was made here; `explained` are the lines about the rows that `explain` names."""

    def __init__(self, made: MadeReport) -> None:
        super().__init__()
        self._made = made
        self.explained = made.explained

    @cached_property
    def _tables(self) -> Mapping[str, pa.Table]:
        return {file.removesuffix(_ENDING): table for file, table in tables_of(self._made.report).items()}

    @property
    def _files(self) -> tuple[str, ...]:
        return tuple(self._tables)

    @cached_property
    def _verdict(self) -> Mapping[str, Any]:
        content: Mapping[str, Any] = json.loads(render_verdict(self._made.report))
        return content

    def _file(self, name: str) -> pa.Table:
        return self._tables[name]

    @property
    def _origin(self) -> Origin:
        return self._made.report.head.origin

    def _screen(self) -> Screen:
        return make_screen(self._made.report)

    def _stage(self, staging: Staging) -> None:
        made = self._made
        write_report(made.report, staging, max_chars=made.max_chars, verdict_alone=made.is_brief, jobs=made.jobs)


class StoredReportResult(ReportResult):
    """The report in a folder. A file that was changed since it was written is refused when it is asked for."""

    def __init__(self, folder: str) -> None:
        super().__init__()
        self._folder = folder
        with self._usable():
            self._summary = read_summary(folder)
            self._verdict_json = json.loads(read_file(folder, VERDICT, self._summary))
            self._listed = tuple(
                name.removesuffix(_ENDING) for name in self._summary["files"] if name.endswith(_ENDING)
            )

    @property
    def _files(self) -> tuple[str, ...]:
        return self._listed

    @property
    def _verdict(self) -> Mapping[str, Any]:
        content: Mapping[str, Any] = self._verdict_json
        return content

    def _file(self, name: str) -> pa.Table:
        with self._usable():
            table = read_table(self._folder, name, self._summary)
            try:
                return as_now(name, table, version=self._summary["schema_version"])
            except UnlikeError as problem:
                raise ValueError(str(problem)) from problem

    def _arrow(self, name: str) -> pa.Table:
        with self._usable():
            return super()._arrow(name)

    @property
    def _origin(self) -> Origin:
        with self._usable():
            return restore_origin(self._summary["side"])

    def _screen(self) -> Screen:
        """Return the first screen of head with the verdict of the report: a folder does not hold its base."""
        side = read_report_folder(self._folder, InputError)
        with self._usable():
            made = build_report(
                side,
                base=None,
                policy=Policy(),
                timestamp=str(self._summary["timestamp"]),
                tool_version=str(self._summary["tool_version"]),
            )
            screen = make_screen(replace(made, verdict=restore_verdict(self._summary["verdict"])))
        return replace(screen, headline=screen.detail) if self._summary["comparison"] else screen

    def _stage(self, staging: Staging) -> None:
        files, _ = read_to_save(self._folder)
        for name, data in files.items():
            staging.add(staging.top / name, partial(bytes, data))
        staging.commit()

    @contextmanager
    def _usable(self) -> Iterator[None]:
        with usable_folder(self._folder, InputError):
            yield


def _diagnostic(found: Mapping[str, Any]) -> Diagnostic:
    known = known_fields(Diagnostic, found)
    return Diagnostic(**known | {"severity": Severity(found["severity"]), "examples": tuple(found["examples"])})
