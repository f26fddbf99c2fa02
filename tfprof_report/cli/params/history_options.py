"""The values of the command `history`."""

from typing import Annotated, ClassVar

from tfprof_report.cli.params.declare import argument, option
from tfprof_report.record import record

_WHICH = "Which commits and figures"
_WRITE = "What to write"
_JUDGE = "Gates"
_WORKERS = "Workers"


@record
class HistoryGates:
    """Where budgets are, and what the newest reports are judged by: fields of `GateValues`."""

    PANEL: ClassVar[str] = _WHICH

    config: Annotated[
        str | None,
        option(
            'Rules file whose budgets are drawn; "none" for no file. [default: the one that report finds]',
            metavar="FILE",
        ),
    ] = None
    judge: Annotated[
        bool,
        option(
            "Judge the newest report of each model by the gates of the rules file and of --gate; the exit code is the "
            "worst. Its base is the report before it.",
            "--judge",
            panel=_JUDGE,
        ),
    ] = False
    gate: Annotated[
        list[str] | None,
        option(
            'A gate besides, such as "params <= +2% since v1.2", or "NAME: params <= 25M" for one model; repeatable, '
            "turns --judge on.",
            metavar="GATE",
            panel=_JUDGE,
        ),
    ] = None
    acknowledged: Annotated[
        str | None,
        option("File of accepted changes, each with a reason and an expiry date.", metavar="FILE", panel=_JUDGE),
    ] = None
    max_unmatched: Annotated[
        str | None,
        option(
            "Share of unmatched nodes above which a verdict is inconclusive. [default: 50%]",
            metavar="PERCENT",
            panel=_JUDGE,
        ),
    ] = None


@record
class HistoryRules:
    """The rules file, under the path that it has in `JobValues`."""

    gates: HistoryGates


@record
class HistoryValues:
    """The history of the models of a store."""

    PANEL: ClassVar[str] = _WHICH

    store: Annotated[
        str,
        argument(
            "A folder, or a URL of an object store, such as s3://BUCKET/PATH?region=REGION or gs://BUCKET/PATH.",
            "STORE",
        ),
    ]
    model: Annotated[list[str] | None, option("Only this model; repeatable. [default: all]", metavar="NAME")] = None
    ancestors: Annotated[
        str | None,
        option(
            'The commits, the newest first, as git rev-list --timestamp prints them; "-" for standard input.',
            metavar="FILE",
        ),
    ] = None
    git: Annotated[
        str | None,
        option("A repository whose commits and tags are read, in place of --ancestors and --tags.", metavar="DIR"),
    ] = None
    tags: Annotated[
        str | None,
        option("The releases, as git show-ref --tags --dereference prints them.", metavar="FILE"),
    ] = None
    since: Annotated[
        str | None,
        option(
            "Only what moved since then: a tag, a commit, a day such as 2026-01-31, or an age such as 30d.",
            metavar="START",
        ),
    ] = None
    last: Annotated[int | None, option("Only what moved in the last N commits.", metavar="N")] = None
    metric: Annotated[
        list[str] | None,
        option(
            "A figure to show, such as param_bytes; repeatable. [default: FLOPs, parameters, device peak memory, wall "
            "time, and what has a budget]",
            metavar="METRIC",
        ),
    ] = None
    compare: Annotated[
        int | None,
        option("Explain the newest N changes of each model by comparing reports. [default: 30]", metavar="N"),
    ] = None
    job: HistoryRules
    jobs: Annotated[
        int,
        option(
            "Make the histories of up to this many models at the same time on this machine, in processes. "
            "[default: 1, in this process]",
            metavar="N",
            panel=_WORKERS,
        ),
    ] = 1
    scheduler: Annotated[
        str | None,
        option(
            "Make them on the Dask cluster of this scheduler, such as tcp://host:8786, whose workers have the same "
            "versions and see the same store.",
            metavar="ADDRESS",
            panel=_WORKERS,
        ),
    ] = None
    out: Annotated[
        str | None,
        option(
            "Folder for history.html, history.md, history.parquet and history.json; its other files stay.",
            metavar="DIR",
            panel=_WRITE,
        ),
    ] = None
    chat: Annotated[
        str | None,
        option(
            "Write what moved, by default in the last 7 days, to FILE as plain text for Slack, Teams and the like.",
            metavar="FILE",
            panel=_WRITE,
        ),
    ] = None
    badge: Annotated[
        list[str] | None,
        option(
            "Write the newest figure as JSON for a badge of shields.io, such as params=badge.json, or with several "
            "models encoder/params=badge.json; repeatable.",
            metavar="[MODEL/]METRIC=FILE",
            panel=_WRITE,
        ),
    ] = None
    commit_url: Annotated[
        str | None,
        option(
            "The page of a commit, with {commit} in place of its id: commits become links.", metavar="URL", panel=_WRITE
        ),
    ] = None
    store_url: Annotated[
        str | None,
        option(
            'Where the store is published: points become links to their reports; "none" for no links. [default: the '
            "folder of the store, seen from DIR]",
            metavar="URL",
            panel=_WRITE,
        ),
    ] = None
    max_chars: Annotated[
        int | None,
        option("Maximum characters of history.md, at least 1000. [default: 60000]", metavar="N", panel=_WRITE),
    ] = None
    timestamp: Annotated[
        str | None,
        option("Time of the history. [default: SOURCE_DATE_EPOCH, else now]", metavar="TEXT", panel=_WRITE),
    ] = None
