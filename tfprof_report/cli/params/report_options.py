"""The values of the commands that write a report folder."""

from typing import Annotated, ClassVar

from tfprof_report.cli.params.declare import ParamGroup, argument, option
from tfprof_report.cli.params.model_options import (
    SEMANTICS,
    SIDE,
    CountingValues,
    FunctionValues,
    InputValues,
    LeaveOutValues,
    RowParams,
    SideParams,
)
from tfprof_report.options import REPORT_OPTIONS, Options
from tfprof_report.record import record
from tfprof_report.vocabulary import Annotations, BaselineMissing, FlopsRules, Preset

_REPORT = "Report"


@record
class ModelsValues:
    """Several models and their bases, by name."""

    PANEL: ClassVar[str] = "Several models"

    model: Annotated[
        list[str] | None,
        option(
            "One of several models, in place of INPUTS; repeatable. Its report goes to DIR/NAME, an index of all "
            "models to DIR.",
            metavar="NAME=INPUTS",
        ),
    ] = None
    base_model: Annotated[
        list[str] | None,
        option(
            "What the model NAME is compared with; repeatable. Alternatively, --baseline with an earlier DIR.",
            metavar="NAME=INPUTS",
        ),
    ] = None


@record
class NameValues:
    """The names of a side. Those given for a base take precedence over those in its report."""

    PANEL: ClassVar[str] = _REPORT

    label: Annotated[str | None, option("Label{of}: the name of the model or run.", metavar="TEXT", is_label=True)] = (
        None
    )
    commit: Annotated[str | None, option("Measured commit{of}.", metavar="TEXT", is_label=True)] = None
    branch: Annotated[str | None, option("Branch of the measured commit{of}.", metavar="TEXT", is_label=True)] = None


@record
class GateValues:
    """What the verdict depends on: gates, accepted changes, matching and thresholds."""

    PANEL: ClassVar[str] = "Gates"

    config: Annotated[
        str | None,
        option(
            'Rules file: options, models and gates in TOML; "none" for no file. [default: tfprof-report.toml, or '
            "pyproject.toml with a table tool.tfprof_report, in this folder or one above it]",
            metavar="FILE",
        ),
    ] = None
    gate: Annotated[
        list[str] | None,
        option(
            'What must hold, such as "params <= +0", "float_ops <= +1%" or, with a floor, "bytes <= +5% or +64KiB"; of '
            'drift, "params <= +2% since v1.2"; repeatable. With --model it applies to every model, "NAME: params <= '
            '+0" to one.',
            metavar="GATE",
        ),
    ] = None
    fail_on_unknown: Annotated[
        bool,
        option(
            "Fail, with the exit code of a failed gate, if the FLOPs or parameters of a node are unknown.",
            "--fail-on-unknown/--no-fail-on-unknown",
        ),
    ] = False
    acknowledged: Annotated[
        str | None,
        option("File of accepted changes, each with a reason and an expiry date.", metavar="FILE"),
    ] = None
    explain: Annotated[
        list[str] | None,
        option("Print which gates judged this node, scope or op type, with the numbers; repeatable.", metavar="NODE"),
    ] = None
    name_map: Annotated[
        str | None, option("File that maps names of nodes in base to their names in head.", metavar="FILE")
    ] = None
    max_unmatched: Annotated[
        str | None,
        option(
            "Share of unmatched nodes above which the verdict is inconclusive. [default: 50%]",
            metavar="PERCENT",
        ),
    ] = None
    threshold: Annotated[
        str | None,
        option(
            "Changes below this share of base's total are folded: only their number and the largest are shown. "
            "[default: 0.1%]",
            metavar="PERCENT",
        ),
    ] = None
    only_if_changed: Annotated[
        bool,
        option(
            "If nothing but time changed and no gate failed, write verdict.json only.",
            "--only-if-changed/--no-only-if-changed",
        ),
    ] = False


@record
class BaselineValues:
    """What to do about a missing or old baseline, and what is known of it."""

    PANEL: ClassVar[str] = "Baseline"

    baseline_missing: Annotated[
        BaselineMissing,
        option("If there is no baseline: fail (exit code 4), warn (and report without it), or ok (report without it)."),
    ] = BaselineMissing.FAIL
    max_baseline_age: Annotated[
        str | None,
        option(
            "Refuse a baseline report that is older than this, such as 30d or 12h. [default: any age]", metavar="AGE"
        ),
    ] = None
    baseline_info: Annotated[
        str | None,
        option(
            "What baseline pick --json printed about the baseline, so that the report says how many commits back it "
            "is; of several models, one after the other.",
            metavar="FILE",
        ),
    ] = None


@record
class DriftValues:
    """Where drift gates find the reports that they are relative to."""

    PANEL: ClassVar[str] = "Drift gates"

    store: Annotated[
        str | None,
        option(
            "Store of earlier reports, a folder or a URL: drift gates (since ..., against best) are relative to them, "
            "and pages show how each figure moved.",
            metavar="STORE",
        ),
    ] = None
    ancestors: Annotated[
        str | None,
        option(
            "The commits that lead to the measured one, the nearest first, as git rev-list --timestamp HEAD prints "
            'them; "-" for standard input. Ages run from their dates.',
            metavar="FILE",
        ),
    ] = None
    tags: Annotated[
        str | None,
        option("The tags that drift gates name, as git show-ref --tags --dereference prints them.", metavar="FILE"),
    ] = None
    store_model: Annotated[
        str | None,
        option(
            "Name of the model in the store. [default: the label; of several models, the name of each]", metavar="NAME"
        ),
    ] = None


@record
class HostValues:
    """What is written for CI hosts, and what reports link to there."""

    PANEL: ClassVar[str] = "Hosts"

    report_url: Annotated[
        str | None,
        option("Where the report is published: pages and comments link to it as the full report.", metavar="URL"),
    ] = None
    commit_url: Annotated[
        str | None,
        option(
            "The page of a commit, with {commit} in place of its id: commits become links, as in "
            "https://github.com/o/r/commit/{commit}.",
            metavar="URL",
        ),
    ] = None

    summary: Annotated[
        str | None,
        option("Append the Markdown to this file, up to 1 MiB, such as GitHub's $GITHUB_STEP_SUMMARY.", metavar="FILE"),
    ] = None
    comment: Annotated[
        str | None,
        option(
            "Write a comment for the pull request: at most 65,536 characters, with a hidden marker to find it by.",
            metavar="FILE",
        ),
    ] = None
    annotations: Annotated[Annotations, option("Print up to ten annotations for this host, the worst first.")] = (
        Annotations.NONE
    )
    junit: Annotated[str | None, option("Write JUnit XML, a test case per gate.", metavar="FILE")] = None
    openmetrics: Annotated[
        str | None,
        option("Write the totals as OpenMetrics text, for example for GitLab's metrics reports.", metavar="FILE"),
    ] = None


@record
class JobValues:
    """Everything but the inputs: what is counted, where the report goes, and what the verdict depends on."""

    PANEL: ClassVar[str] = _REPORT

    out: Annotated[
        str | None, option("Folder to write the report to; required, here or in the rules file.", metavar="DIR")
    ] = None
    functions: Annotated[FunctionValues, ParamGroup(panel=_REPORT)]
    leave_out: Annotated[LeaveOutValues, ParamGroup(panel=_REPORT)]
    max_chars: Annotated[
        int | None,
        option(
            "Maximum characters of report.md, --comment and --summary, at least 1000; the most important parts are "
            "kept. [default: 60000; for a host, its own limit]",
            metavar="N",
        ),
    ] = None
    jobs: Annotated[
        int | None,
        option(
            "Compute and write up to this many tables and files of models of 50,000 nodes and more at the same time; "
            "the report is the same for any number. [default: the number of cores]",
            metavar="N",
        ),
    ] = None
    names: NameValues
    base_names: Annotated[NameValues, ParamGroup(side="base-")]
    timestamp: Annotated[
        str | None, option("Time of the report. [default: SOURCE_DATE_EPOCH, else now]", metavar="TEXT")
    ] = None
    gates: GateValues
    baseline: BaselineValues
    drift: DriftValues
    hosts: HostValues
    options: Annotated[Options, RowParams(defaults=REPORT_OPTIONS)]
    counting: Annotated[CountingValues, ParamGroup(defaults=CountingValues(rules=FlopsRules.EXTENDED))]
    semantics: Annotated[Preset, SEMANTICS] = Preset.CORRECTED

    @property
    def folder(self) -> str:
        """Return the folder to write; call it only after the check that there is one."""
        return self.out or ""


_BASELINE = option(
    f"What to compare with: {SIDE[0].lower()}{SIDE[1:-1]}; with --model, a report of several models.", metavar="BASE"
)


@record
class ReportValues:
    """The values of the command `report`: one model or several, with or without a baseline."""

    head: Annotated[InputValues, SideParams(name="inputs", source=argument(SIDE, "INPUTS"))]
    models: ModelsValues
    base: Annotated[InputValues, SideParams(side="base-", name="baseline", source=_BASELINE)]
    job: JobValues


@record
class DiffValues:
    """The values of the command `diff`: two sides."""

    base: Annotated[InputValues, SideParams(side="base-", name="base", source=argument(SIDE, "BASE"))]
    head: Annotated[
        InputValues, SideParams(side="head-", name="head", source=argument("The same kinds of input.", "HEAD"))
    ]
    job: JobValues
