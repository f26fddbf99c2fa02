"""The values of the commands that write a report folder."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from tfprof_report.cli.params.declare import Group, argument, option
from tfprof_report.cli.params.model_options import (
    SEMANTICS,
    SIDE,
    CountingValues,
    FunctionValues,
    InputValues,
    LeaveOutValues,
    Rows,
    Side,
)
from tfprof_report.options import REPORT_OPTIONS, Options
from tfprof_report.vocabulary import Annotations, BaselineMissing, FlopsRules, Preset

_REPORT = "Report"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelsValues:
    """What names several models and their bases."""

    PANEL: ClassVar[str] = "Several models"

    model: Annotated[
        list[str] | None,
        option(
            "One of several models, in place of INPUTS; repeatable. Its report goes to DIR/NAME, an index of "
            "all to DIR.",
            metavar="NAME=INPUTS",
        ),
    ] = None
    base_model: Annotated[
        list[str] | None,
        option(
            "What the model of this name is compared with; repeatable. Or --baseline with an earlier DIR.",
            metavar="NAME=INPUTS",
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NameValues:
    """What the user calls a side. The names of a base win over those in its report."""

    PANEL: ClassVar[str] = _REPORT

    label: Annotated[str | None, option("Name of the model or run{,of}.", metavar="TEXT")] = None
    commit: Annotated[str | None, option("Commit that was measured{,of}.", metavar="TEXT")] = None
    branch: Annotated[str | None, option("Its branch{,of}.", metavar="TEXT")] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GateValues:
    """What a verdict is held to."""

    PANEL: ClassVar[str] = "Gates"

    config: Annotated[
        str | None,
        option(
            "Rules file; else tfprof-report.toml or [tool.tfprof_report] of pyproject.toml in this folder or one "
            'above it. "none" for no rules file.',
            metavar="FILE",
        ),
    ] = None
    gate: Annotated[
        list[str] | None,
        option(
            'What must hold, such as "params <= +0" or "float_ops <= +1%"; repeatable. Beside --model it is '
            'for each model, and "NAME: params <= +0" for one.',
            metavar="GATE",
        ),
    ] = None
    fail_on_unknown: Annotated[
        bool,
        option(
            "Fail, as a gate does, if FLOPs or parameters of a node are unknown.",
            "--fail-on-unknown/--no-fail-on-unknown",
        ),
    ] = False
    acknowledged: Annotated[
        str | None,
        option("File of changes that were accepted, each with a reason and the day on which it ends.", metavar="FILE"),
    ] = None
    explain: Annotated[
        list[str] | None,
        option("Print which gates judged this node, scope or op type, and the numbers; repeatable.", metavar="NODE"),
    ] = None
    name_map: Annotated[
        str | None, option("File that says which nodes of base are called what in head.", metavar="FILE")
    ] = None
    max_unmatched: Annotated[
        str | None,
        option(
            "Part of the nodes without a partner above which the verdict is inconclusive. [default: 50%]",
            metavar="PERCENT",
        ),
    ] = None
    threshold: Annotated[
        str | None,
        option(
            "Changes below this part of base's total are folded: counted, the largest named. [default: 0.1%]",
            metavar="PERCENT",
        ),
    ] = None
    only_if_changed: Annotated[
        bool,
        option(
            "Where nothing but time changed and no gate failed, write verdict.json alone.",
            "--only-if-changed/--no-only-if-changed",
        ),
    ] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineValues:
    """What to do about the baseline itself."""

    PANEL: ClassVar[str] = "Baseline"

    baseline_missing: Annotated[
        BaselineMissing,
        option(
            "Where the baseline is not there: fail (exit code 4), warn and report without it, or ok: report without it."
        ),
    ] = BaselineMissing.FAIL
    max_baseline_age: Annotated[
        str | None,
        option("Refuse a baseline report that is older, such as 30d or 12h. [default: any age]", metavar="AGE"),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HostValues:
    """What is written for the hosts of repositories."""

    PANEL: ClassVar[str] = "Hosts"

    summary: Annotated[
        str | None,
        option("Append the Markdown to this file, within 1 MiB: GitHub's $GITHUB_STEP_SUMMARY.", metavar="FILE"),
    ] = None
    comment: Annotated[
        str | None,
        option(
            "Write the comment of a pull request: at most 65,536 characters, with a hidden marker to find it by.",
            metavar="FILE",
        ),
    ] = None
    annotations: Annotated[Annotations, option("Print at most ten annotations for this host, the worst first.")] = (
        Annotations.NONE
    )
    junit: Annotated[str | None, option("Write JUnit XML: a case per gate.", metavar="FILE")] = None
    openmetrics: Annotated[
        str | None,
        option("Write the totals as OpenMetrics text, such as GitLab's metrics reports.", metavar="FILE"),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JobValues:
    """What is counted, where the report goes, and what it is held to, whatever the sides."""

    PANEL: ClassVar[str] = _REPORT

    out: Annotated[str | None, option("Folder to write; needed, here or in the rules file.", metavar="DIR")] = None
    functions: Annotated[FunctionValues, Group(panel=_REPORT)]
    leave_out: Annotated[LeaveOutValues, Group(panel=_REPORT)]
    max_chars: Annotated[
        int | None,
        option(
            "Most characters of report.md, --comment and --summary, 1000 or more: the most important first. "
            "[default: 60000, for hosts what they take]",
            metavar="N",
        ),
    ] = None
    names: NameValues
    base_names: Annotated[NameValues, Group(side="base-")]
    timestamp: Annotated[
        str | None, option("Time of the report; else SOURCE_DATE_EPOCH, else now.", metavar="TEXT")
    ] = None
    gates: GateValues
    baseline: BaselineValues
    hosts: HostValues
    options: Annotated[Options, Rows(defaults=REPORT_OPTIONS)]
    counting: Annotated[CountingValues, Group(defaults=CountingValues(rules=FlopsRules.EXTENDED))]
    semantics: Annotated[Preset, SEMANTICS] = Preset.CORRECTED

    @property
    def folder(self) -> str:
        """Return the folder to write, once it was checked that there is one."""
        return self.out or ""


_BASELINE = option(
    f"Compare with this: {SIDE[0].lower()}{SIDE[1:-1]}, beside --model one of several models.", metavar="BASE"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportValues:
    """The values of the command that reports a model, or several, perhaps with a baseline."""

    head: Annotated[InputValues, Side(name="inputs", source=argument(SIDE, "INPUTS"))]
    models: ModelsValues
    base: Annotated[InputValues, Side(side="base-", name="baseline", source=_BASELINE)]
    job: JobValues


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffValues:
    """The values of the command that compares two sides."""

    base: Annotated[InputValues, Side(side="base-", name="base", source=argument(SIDE, "BASE"))]
    head: Annotated[InputValues, Side(side="head-", name="head", source=argument("The same.", "HEAD"))]
    job: JobValues
