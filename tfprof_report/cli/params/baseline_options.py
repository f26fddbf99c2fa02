"""The values of the commands of `baseline`."""

from dataclasses import replace
from typing import Annotated, ClassVar

from tfprof_report.cli.params.declare import ParamGroup, argument, option
from tfprof_report.cli.params.model_options import (
    SEMANTICS,
    CountingValues,
    FunctionValues,
    LeaveOutValues,
    RowParams,
)
from tfprof_report.options import COUNTING_OPTIONS, REPORT_OPTIONS, Options
from tfprof_report.record import record
from tfprof_report.vocabulary import BaselineMissing, FlopsRules, Preset

_WHICH = "Which and how many"
_COUNTED = "How the coming report is counted"

_SEMANTICS = replace(SEMANTICS, panel=_COUNTED)

_STORE = argument(
    "A folder, or a URL of an object store, such as s3://BUCKET/PATH?region=REGION or gs://BUCKET/PATH.", "STORE"
)
_ONLY = option("Only this model. [default: all]", metavar="NAME")
_JSON = option("Print JSON, for programs.", "--json")


@record
class SaveValues:
    """The report to save in a store."""

    PANEL: ClassVar[str] = _WHICH

    store: Annotated[str, _STORE]
    report: Annotated[str, argument("The folder of a finished report, of one model or of several.", "REPORT")]
    model: Annotated[
        str | None,
        option(
            "Name of the model in the store; for a report of several models, the one to save. [default: all models]",
            metavar="NAME",
        ),
    ] = None
    commit: Annotated[str | None, option("Commit of the report. [default: the one that it names]", metavar="SHA")] = (
        None
    )


@record
class RulesFileValues:
    """The rules file of the coming report."""

    PANEL: ClassVar[str] = _COUNTED

    config: Annotated[
        str | None,
        option('Rules file of the report; "none" for no file. [default: the one that report finds]', metavar="FILE"),
    ] = None


@record
class AgeValues:
    """How old a baseline may be."""

    PANEL: ClassVar[str] = _WHICH

    max_baseline_age: Annotated[
        str | None,
        option("Pass over reports that are older than this, such as 30d or 12h. [default: any age]", metavar="AGE"),
    ] = None


@record
class HeadValues:
    """The input shapes and the signature of the coming report."""

    PANEL: ClassVar[str] = _COUNTED

    input_shape: Annotated[
        list[str] | None, option("Shape of a placeholder, such as x=1,224,224,3. Repeatable.", metavar="NAME=SHAPE")
    ] = None
    signature: Annotated[
        str | None, option("Signature of a SavedModel. [default: that of the nearest report]", metavar="NAME")
    ] = None


@record
class ComingValues:
    """How the coming report is counted, under the paths of `JobValues`, so that a rules file sets them too."""

    gates: RulesFileValues
    baseline: AgeValues
    options: Annotated[Options, RowParams(defaults=REPORT_OPTIONS, only=COUNTING_OPTIONS, panel=_COUNTED)]
    counting: Annotated[CountingValues, ParamGroup(panel=_COUNTED, defaults=CountingValues(rules=FlopsRules.EXTENDED))]
    functions: Annotated[FunctionValues, ParamGroup(panel=_COUNTED)]
    leave_out: Annotated[LeaveOutValues, ParamGroup(panel=_COUNTED)]
    semantics: Annotated[Preset, _SEMANTICS] = Preset.CORRECTED


COUNTED = ("job.options.", "job.counting.", "job.functions.", "job.leave_out.", "job.semantics", "head.")
"""Prefixes of the paths of the fields that say how the coming report is counted."""


@record
class PickValues:
    """The baseline to look for in a store."""

    PANEL: ClassVar[str] = _WHICH

    store: Annotated[str, _STORE]
    model: Annotated[str | None, option("Name of the model in the store.", metavar="NAME")] = None
    ancestors: Annotated[
        str | None,
        option(
            'Commits to look for, the nearest first, as git rev-list prints them; "-" for standard input.',
            metavar="FILE",
        ),
    ] = None
    out: Annotated[
        str | None,
        option(
            "Copy the report to this folder; required for an object store. [default: print its folder in the store]",
            metavar="DIR",
        ),
    ] = None
    baseline_missing: Annotated[
        BaselineMissing, option("If no ancestor has a usable report: fail (exit code 4), warn, or ok.")
    ] = BaselineMissing.FAIL
    last_good: Annotated[bool, option("Pass over reports whose gates failed.")] = False
    as_json: Annotated[bool, _JSON] = False
    job: ComingValues
    head: HeadValues


@record
class ListValues:
    """The reports of a store to list."""

    PANEL: ClassVar[str] = _WHICH

    store: Annotated[str, _STORE]
    model: Annotated[str | None, _ONLY] = None
    as_json: Annotated[bool, _JSON] = False


@record
class PruneValues:
    """The reports of a store to remove."""

    PANEL: ClassVar[str] = _WHICH

    store: Annotated[str, _STORE]
    model: Annotated[str | None, _ONLY] = None
    keep: Annotated[
        int | None,
        option("Keep the newest report of each of the N newest commits of a model, whatever its age.", metavar="N"),
    ] = None
    older_than: Annotated[
        str | None,
        option(
            "Remove only reports that were saved longer ago, such as 90d, 12h or 8w. [default: any age]", metavar="AGE"
        ),
    ] = None
    keep_daily: Annotated[
        int | None,
        option("Keep the newest report of each of the last N days that have one, by the time of reports.", metavar="N"),
    ] = None
    keep_weekly: Annotated[
        int | None, option("Keep the newest report of each of the last N weeks that have one.", metavar="N")
    ] = None
    keep_tagged: Annotated[bool, option("Keep all reports of commits that have a tag.")] = False
    tags: Annotated[
        str | None,
        option(
            'Tags, as git show-ref --tags --dereference prints them; "-" for standard input.',
            metavar="FILE",
        ),
    ] = None
    dry_run: Annotated[bool, option("Print what would be removed, but remove nothing.")] = False
