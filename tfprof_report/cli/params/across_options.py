"""The values of the commands over many reports: `compare` and `index`."""

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
from tfprof_report.vocabulary import FlopsRules, Preset

_WHICH = "Which reports"
_WRITE = "What to write"
_COUNTED = "How models given as files are counted"

_SEMANTICS = replace(SEMANTICS, panel=_COUNTED)

_KEYS = (
    "model (a name or a glob), branch, commit and label (repeatable: any of the values), since (a day or an age such "
    "as 30d), and last (the newest N of each model)"
)
_STORE_URL = (
    'Where the store is published: names become links to the reports; "none" for no links. [default: the folder of the '
    "store, seen from what is written]"
)
_TIMESTAMP = option("Time of what is written. [default: SOURCE_DATE_EPOCH, else now]", metavar="TEXT", panel=_WRITE)


@record
class CountedRules:
    """Where options are that the command line does not set."""

    PANEL: ClassVar[str] = _COUNTED

    config: Annotated[
        str | None,
        option(
            'Rules file whose options count; "none" for no file. [default: the one that report finds]', metavar="FILE"
        ),
    ] = None


@record
class CountedValues:
    """How models given as files are counted, under the paths of `JobValues`, so that a rules file sets them."""

    gates: CountedRules
    options: Annotated[Options, RowParams(defaults=REPORT_OPTIONS, only=COUNTING_OPTIONS, panel=_COUNTED)]
    counting: Annotated[CountingValues, ParamGroup(panel=_COUNTED, defaults=CountingValues(rules=FlopsRules.EXTENDED))]
    functions: Annotated[FunctionValues, ParamGroup(panel=_COUNTED)]
    leave_out: Annotated[LeaveOutValues, ParamGroup(panel=_COUNTED)]
    semantics: Annotated[Preset, _SEMANTICS] = Preset.CORRECTED


@record
class CompareValues:
    """The reports to put side by side."""

    PANEL: ClassVar[str] = _WHICH

    source: Annotated[
        list[str] | None,
        argument(
            "Columns, the first of which the others are compared with: the folder of a report, of one model or of "
            "several, or a graph file or folder as report takes them; a glob in quotes stands for all that it matches. "
            "Without NAME, the last part of the path that differs is the name.",
            "[NAME=]SOURCE",
        ),
    ] = None
    store: Annotated[
        str | None,
        option(
            "A store whose reports are further columns, the oldest first: those of --query. [default: the newest of "
            "each model]",
            metavar="STORE",
        ),
    ] = None
    query: Annotated[
        list[str] | None,
        option(
            f'Which reports of the store, such as "model=encoder, branch=main, last=5"; repeatable. Keys: {_KEYS}. '
            "[default of last: 1; with since, all]",
            metavar="QUERY",
        ),
    ] = None
    job: CountedValues
    out: Annotated[
        str | None,
        option(
            "Folder for compare.html, compare.md, compare.parquet and compare.json; its other files stay.",
            metavar="DIR",
            panel=_WRITE,
        ),
    ] = None
    store_url: Annotated[str | None, option(_STORE_URL, metavar="URL", panel=_WRITE)] = None
    max_chars: Annotated[
        int | None,
        option("Maximum characters of compare.md, at least 1000. [default: 60000]", metavar="N", panel=_WRITE),
    ] = None
    timestamp: Annotated[str | None, _TIMESTAMP] = None


@record
class IndexValues:
    """The reports to list on one page."""

    PANEL: ClassVar[str] = _WHICH

    place: Annotated[
        str,
        argument(
            "A folder with report folders in it, at any depth; or a store: a folder, or a URL such as s3://BUCKET/PATH.",
            "DIR|STORE",
        ),
    ]
    query: Annotated[
        list[str] | None,
        option(
            f'Only these reports of a store, such as "branch=main, last=10"; repeatable. Keys: {_KEYS}.',
            metavar="QUERY",
        ),
    ] = None
    out: Annotated[str | None, option("HTML file to write, such as index.html.", metavar="FILE", panel=_WRITE)] = None
    store_url: Annotated[str | None, option(_STORE_URL, metavar="URL", panel=_WRITE)] = None
    timestamp: Annotated[str | None, _TIMESTAMP] = None
