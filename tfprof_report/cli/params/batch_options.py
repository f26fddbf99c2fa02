"""The values of the command `batch`."""

from typing import Annotated, ClassVar

from tfprof_report.cli.params.declare import argument, option
from tfprof_report.record import record

_WORKERS = "Workers"
_WRITE = "What to write"
_EACH = "Of every report"
_PAST = "Past commits"


@record
class BatchValues:
    """What to report on, where the reports go, and who makes them."""

    PANEL: ClassVar[str] = _WRITE

    sources: Annotated[
        list[str] | None,
        argument(
            "A manifest (TOML, named *.toml), or inputs as report takes them, each a report; a glob in quotes stands "
            "for all that it matches.",
            "MANIFEST|INPUTS...",
        ),
    ] = None
    out: Annotated[
        str | None,
        option(
            "Folder for batch.json and batch.parquet and, without --store, a report folder DIR/NAME of each entry.",
            metavar="DIR",
        ),
    ] = None
    store: Annotated[
        str | None,
        option(
            "Save each report in this store, a folder or a URL, as baseline save does. Entries need a commit.",
            metavar="STORE",
        ),
    ] = None
    dry_run: Annotated[
        bool, option("Print the command line of each report and the memory that it needs; make none.", "--dry-run")
    ] = False
    commit: Annotated[
        str | None, option("Measured commit of entries that name none.", metavar="TEXT", panel=_EACH, is_label=True)
    ] = None
    branch: Annotated[
        str | None,
        option("Branch of the commit of entries that name none.", metavar="TEXT", panel=_EACH, is_label=True),
    ] = None
    config: Annotated[
        str | None,
        option(
            'Rules file of entries that name none; "none" for no file. [default: the one that report finds]',
            "--config",
            metavar="FILE",
            panel=_EACH,
            alias="--rules",
        ),
    ] = None
    gate: Annotated[
        list[str] | None,
        option(
            'What must hold of every report, such as "params <= 25M", or "NAME: params <= 25M" of those of one model; '
            "repeatable.",
            metavar="GATE",
            panel=_EACH,
        ),
    ] = None
    git_range: Annotated[
        str | None,
        option(
            "Report on each commit of this range of the repository here, whose inputs --command makes in a worktree of "
            "its own; of a merge the first parent is followed.",
            metavar="A..B",
            panel=_PAST,
        ),
    ] = None
    command: Annotated[
        str | None, option("Shell command that makes the inputs of a commit.", metavar="COMMAND", panel=_PAST)
    ] = None
    profile: Annotated[
        str | None,
        option("File or folder that the command makes, seen from the worktree.", metavar="PATH", panel=_PAST),
    ] = None
    model: Annotated[
        str | None,
        option("Name of the model. [default: that of the repository's folder]", metavar="NAME", panel=_PAST),
    ] = None
    every: Annotated[
        int, option("Report on each Nth commit only, the last one included. [default: 1]", metavar="N", panel=_PAST)
    ] = 1
    bisect: Annotated[
        str | None,
        option(
            "Report on as few commits as it takes to find the one that changed this figure between A and B.",
            metavar="METRIC",
            panel=_PAST,
        ),
    ] = None
    command_limit: Annotated[
        str | None,
        option(
            "End a command that takes longer than this, such as 30m. [default: no limit]", metavar="TIME", panel=_PAST
        ),
    ] = None
    jobs: Annotated[
        int | None,
        option(
            "Make up to this many reports at the same time on this machine, fewer where their memory would not do. "
            "[default: the number of cores]",
            metavar="N",
            panel=_WORKERS,
        ),
    ] = None
    memory: Annotated[
        str | None,
        option(
            "Memory of all workers on this machine together, such as 8GiB. [default: what is available]",
            metavar="SIZE",
            panel=_WORKERS,
        ),
    ] = None
    scheduler: Annotated[
        str | None,
        option(
            "Make the reports on the Dask cluster of this scheduler, such as tcp://host:8786, whose workers have the "
            "same versions and see the same files.",
            metavar="ADDRESS",
            panel=_WORKERS,
        ),
    ] = None
    time_limit: Annotated[
        str | None,
        option(
            "End a report that takes longer than this, such as 90s, 30m or 2h. [default: no limit]",
            metavar="TIME",
            panel=_WORKERS,
        ),
    ] = None
    retries: Annotated[
        int,
        option("How often a report whose worker was lost is tried again. [default: 2]", metavar="N", panel=_WORKERS),
    ] = 2
