"""The values of the commands that accept changes, set up a repository and keep baselines."""

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
    """The report, and what the entries of the acknowledged file say."""

    PANEL: ClassVar[str] = _WRITE

    dir: Annotated[str, argument("The folder of a report, of which gates failed.", "DIR")]
    reason: Annotated[str, option("Why, in a sentence.", metavar="TEXT")]
    expires: Annotated[str, option("The last day on which the entries count, such as 2027-01-31.", metavar="DAY")]
    model: Annotated[
        str | None,
        option(
            "Of a report of several models, which one; of one model, its label, so that the entries are for it "
            "alone. [default: all of them]",
            metavar="NAME",
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class InitValues:
    """What is set up."""

    PANEL: ClassVar[str] = _WRITE

    host: Annotated[
        Host | None,
        option("CI host to write the recipe of. [default: the one that the repository shows]", metavar="|".join(Host)),
    ] = None
    force: Annotated[bool, option("Replace files that are there.")] = False
    snippet: Annotated[
        Snippet | None,
        option(
            "Write no file: print a program that writes the profile of a model, of a TF1 session, a tf.function "
            "or a Keras model.",
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
    """The report that is saved in a store."""

    PANEL: ClassVar[str] = _WHICH

    store: Annotated[str, _STORE]
    report: Annotated[str, argument("The folder of a finished report, of one model or of several.", "REPORT")]
    model: Annotated[
        str | None,
        option(
            "Name of the model in the store; of a report of several models, which one. [default: all of them]",
            metavar="NAME",
        ),
    ] = None
    commit: Annotated[
        str | None, option("Commit that the report is of. [default: the one that it names]", metavar="SHA")
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PickValues:
    """The baseline that is looked for in a store."""

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
            "Copy the report to this folder; an object store needs it. [default: its folder in the store is printed]",
            metavar="DIR",
        ),
    ] = None
    baseline_missing: Annotated[
        BaselineMissing, option("Where no ancestor has a report: fail (exit code 4), warn, or ok.")
    ] = BaselineMissing.FAIL
    as_json: Annotated[bool, _JSON] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ListValues:
    """The reports of a store that are listed."""

    PANEL: ClassVar[str] = _WHICH

    store: Annotated[str, _STORE]
    model: Annotated[str | None, _ONLY] = None
    as_json: Annotated[bool, _JSON] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PruneValues:
    """The reports of a store that are removed."""

    PANEL: ClassVar[str] = _WHICH

    store: Annotated[str, _STORE]
    model: Annotated[str | None, _ONLY] = None
    keep: Annotated[
        int | None,
        option("Keep the newest report of this many commits of each model, whatever their age.", metavar="N"),
    ] = None
    older_than: Annotated[
        str | None,
        option("Remove only what was saved longer ago, such as 90d, 12h or 8w. [default: any age]", metavar="AGE"),
    ] = None
    dry_run: Annotated[bool, option("Say what would be removed.")] = False
