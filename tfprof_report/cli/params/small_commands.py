"""The values of the commands `accept`, `init`, `schema` and `baseline`."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from tfprof_report.cli.params.declare import argument, option
from tfprof_report.vocabulary import BaselineMissing, Host, Snippet

_WRITE = "What to write"
_WHICH = "Which and how many"


@dataclass(frozen=True, slots=True, kw_only=True)
class NoValues:
    """The values of a command without options."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptValues:
    """The report, and the reason and expiry date of the entries."""

    PANEL: ClassVar[str] = _WRITE

    dir: Annotated[str, argument("The folder of a report whose gates failed.", "DIR")]
    reason: Annotated[str, option("Why the changes are accepted, in a sentence.", metavar="TEXT")]
    expires: Annotated[str, option("The last day on which the entries are valid, such as 2027-01-31.", metavar="DAY")]
    model: Annotated[
        str | None,
        option(
            "One of several models; for a report of one model, its label, which limits the entries to that model. "
            "[default: all models]",
            metavar="NAME",
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class InitValues:
    """What is set up."""

    PANEL: ClassVar[str] = _WRITE

    host: Annotated[
        Host | None,
        option("CI host whose recipe is written. [default: the one that the repository uses]", metavar="|".join(Host)),
    ] = None
    force: Annotated[bool, option("Replace existing files.")] = False
    snippet: Annotated[
        Snippet | None,
        option(
            "Write no file; print a program that profiles a TF1 session, a tf.function or a Keras model.",
            metavar="|".join(Snippet),
        ),
    ] = None


_STORE = argument(
    "A folder, or a URL of an object store, such as s3://BUCKET/PATH?region=REGION or gs://BUCKET/PATH.", "STORE"
)
_ONLY = option("Only this model. [default: all]", metavar="NAME")
_JSON = option("Print JSON, for programs.", "--json")


@dataclass(frozen=True, slots=True, kw_only=True)
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


@dataclass(frozen=True, slots=True, kw_only=True)
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
        BaselineMissing, option("If no ancestor has a report: fail (exit code 4), warn, or ok.")
    ] = BaselineMissing.FAIL
    as_json: Annotated[bool, _JSON] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ListValues:
    """The reports of a store to list."""

    PANEL: ClassVar[str] = _WHICH

    store: Annotated[str, _STORE]
    model: Annotated[str | None, _ONLY] = None
    as_json: Annotated[bool, _JSON] = False


@dataclass(frozen=True, slots=True, kw_only=True)
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
    dry_run: Annotated[bool, option("Print what would be removed, but remove nothing.")] = False
