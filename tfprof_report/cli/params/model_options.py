"""The options that most commands share: the files of a model, the rows and columns to show, and how to count."""

from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from typing import Annotated, Any, ClassVar, Protocol

from tfprof_report.cli.params.declare import Param, ParamGroup, Words, field_params, field_values, option, typer_words
from tfprof_report.cli.params.small_commands import FLOPS_RULES
from tfprof_report.cli.params.spelling import FALSE_WORDS, TRUE_WORDS
from tfprof_report.errors import OptionError
from tfprof_report.options import UNLIMITED_DEPTH, Options, split_list
from tfprof_report.record import record
from tfprof_report.vocabulary import Cond, Count, FloatOpsFrom, FlopsRules, Functions, Loops, Preset

ROWS = "Rows and columns, as in tfprof"

FILES = ("graph", "run_meta", "run_meta_path", "xplane", "op_log", "checkpoint", "profile")
"""Options that name the files of a side."""


@record
class InputValues:
    """The inputs of one side: an argument or option `source` for all of them, and an option per kind of file.

    side : prefix of its options: ``base-``, ``head-`` or nothing
    """

    PANEL: ClassVar[str] = "Inputs"

    side: str = ""
    source: str | None = None
    graph: Annotated[
        list[str] | None,
        option(
            "GraphDef{of}, or a MetaGraphDef or SavedModel that contains it; repeatable: further files add the nodes "
            "that are new in them.",
            metavar="FILE",
            alias="--graph-path",
        ),
    ] = None
    run_meta: Annotated[
        list[str] | None,
        option(
            "RunMetadata of one step{of}; repeatable. Without STEP=, files are steps 0, 1, 2...", metavar="[STEP=]FILE"
        ),
    ] = None
    run_meta_path: Annotated[
        list[str] | None, option("RunMetadata files{of} as a comma-separated list, as in tfprof.", metavar="FILE,...")
    ] = None
    xplane: Annotated[
        list[str] | None,
        option(
            "XPlane trace{of} of TensorFlow's or JAX's profiler, or a log directory with runs; repeatable for the "
            "hosts of one run. It may be the only input.",
            metavar="FILE|LOGDIR",
        ),
    ] = None
    run: Annotated[str | None, option("Run of the log directory{of}. [default: the newest]", metavar="NAME")] = None
    op_log: Annotated[str | None, option("OpLogProto{of}.", metavar="FILE", alias="--op-log-path")] = None
    checkpoint: Annotated[
        str | None,
        option(
            "Checkpoint{of}; its variables get the type _checkpoint_variables and show their tensor_value.",
            metavar="PREFIX",
            alias="--checkpoint-path",
        ),
    ] = None
    profile: Annotated[
        str | None,
        option("ProfileProto{of}, in place of graph, run metadata and op log.", metavar="FILE", alias="--profile-path"),
    ] = None
    signature: Annotated[
        str | None,
        option(
            "Signature of a SavedModel{of}: its outputs and what they depend on count. [default: serving_default, else "
            "the only one]",
            metavar="NAME",
        ),
    ] = None
    input_shape: Annotated[
        list[str] | None,
        option(
            "Shape for a placeholder{of} with unknown dimensions, such as x=1,224,224,3; the shapes that depend on it "
            "are inferred again. Repeatable.",
            metavar="NAME=SHAPE",
        ),
    ] = None
    max_unpacked: Annotated[
        str | None,
        option(
            "Most bytes that a gzip file{of} may unpack to, such as 500MiB, in place of the limits that keep a small "
            "file from taking all memory.",
            metavar="SIZE",
        ),
    ] = None

    def param(self, word: str) -> str:
        """Return the name of the parameter for the field `word`."""
        return self.side.replace("-", "_") + word

    @property
    def files(self) -> tuple[str, ...]:
        """Return the parameters with which the user named files of this side."""
        return tuple(self.param(word) for word in FILES if getattr(self, word))

    @property
    def name(self) -> str | None:
        """Return what identifies the side: its source, else the first graph file, the profile or the first trace."""
        named = (*(self.graph or ()), *((self.profile,) if self.profile else ()), *(self.xplane or ()))
        return self.source if self.source is not None else next(iter(named), None)


@record
class SideParams(ParamGroup):
    """How a command declares the inputs of a side: `source` is the parameter for all of them, called `name`."""

    name: str
    source: Words

    def params(self, kind: Any, path: str) -> Iterator[Param]:
        """Yield the parameter for all inputs, then those for files."""
        words = typer_words(self.source, self.name, ParamGroup())
        yield Param(name=self.name, path=f"{path}source", kind=str | None, declared=self.source, words=words)
        yield from field_params(self, kind, path)

    def make(self, kind: Any, path: str, given: Mapping[str, Any]) -> Any:
        """Return the inputs with their values, which `given` holds by path."""
        return kind(side=self.side, source=given[f"{path}source"], **field_values(kind, path, given))


_METAVARS = {tuple: "LIST", bool: "BOOL", int: "N", str: "WORD"}
_OPTION_HELP = {
    "max_depth": "Levels to show; the root is level 1. In op view, rows to show after the first one.",
    "min_bytes": "Minimum total of requested bytes.",
    "min_peak_bytes": "Minimum total of peak bytes.",
    "min_residual_bytes": "Minimum total of residual bytes.",
    "min_output_bytes": "Minimum total of output bytes.",
    "min_micros": "Minimum total of microseconds.",
    "min_accelerator_micros": "Minimum total of accelerator microseconds.",
    "min_cpu_micros": "Minimum total of CPU microseconds.",
    "min_params": "Minimum parameters of the node itself; in op view, of the row.",
    "min_float_ops": "Minimum FLOPs of the node itself; in op view, of the row.",
    "min_occurrence": "Minimum executions of the node itself; in op view, minimum nodes of the row.",
    "step": "Step to show; -1 is the mean over all steps.",
    "order_by": "Order of siblings, largest first: name, bytes, micros, params, float_ops, macs, occurrence ...",
    "account_type_regexes": "Count only nodes with a matching op type, device or op-log type.",
    "start_name_regexes": "Start at matching rows.",
    "trim_name_regexes": "Show matching rows without their subtrees; in op view, stop before them.",
    "show_name_regexes": "Show only matching rows.",
    "hide_name_regexes": "Hide matching rows; their children move up.",
    "account_displayed_op_only": "Totals over shown rows only.",
    "select": "Columns: params, float_ops, macs, bytes, peak_bytes, residual_bytes, output_bytes, micros, "
    "accelerator_micros, cpu_micros, device, op_types, occurrence, input_shapes.",
}

_NO = "no_account_displayed_op_only"


@record
class RowParams(ParamGroup):
    """How a command declares tfprof's `Options`: a parameter for each, and the negation of the boolean one.

    only : the names of those that the command takes; all of them if empty
    """

    defaults: Options
    only: tuple[str, ...] = ()

    def params(self, kind: Any, path: str) -> Iterator[Param]:
        """Yield a parameter for each option, with default None, which shows that the user did not set it."""
        for field in fields(kind):
            if self.only and field.name not in self.only:
                continue
            default = getattr(self.defaults, field.name)
            is_list = isinstance(default, tuple)
            words = ", ".join(default) if is_list else str(default).lower() if isinstance(default, bool) else default
            note = " [default: no limit]" if default == UNLIMITED_DEPTH else f" [default: {words}]"
            text = _OPTION_HELP[field.name] + (note if words != "" else "")
            declared = option(text, metavar=_METAVARS[type(default)], may_be_empty=isinstance(default, str | tuple))
            yield Param(
                name=field.name,
                path=path + field.name,
                kind=str | None if isinstance(default, bool) else list[str] | None if is_list else type(default) | None,
                declared=declared,
                words=typer_words(declared, field.name, self, panel=ROWS),
            )
        declared = option("Totals over all rows.")
        words = typer_words(declared, _NO, self, panel=ROWS)
        yield Param(name=_NO, path=path + _NO, kind=bool, declared=declared, words=words, default=False)

    def make(self, kind: Any, path: str, given: Mapping[str, Any]) -> Options:
        """Return the options: those that are given, else their defaults."""
        chosen: dict[str, Any] = {}
        for field in fields(kind):
            value = given.get(path + field.name)
            if value is None or value == []:
                continue
            if isinstance(getattr(self.defaults, field.name), tuple):
                value = split_list(value)
            elif field.name == "account_displayed_op_only":
                value = _truth(value)
            chosen[field.name] = value
        if given[path + _NO]:
            chosen["account_displayed_op_only"] = False
        return replace(self.defaults, **chosen)


def _truth(word: str) -> bool:
    if word.lower() not in (*TRUE_WORDS, *FALSE_WORDS):
        raise OptionError(f'"{word}" is neither true nor false', option="--account-displayed-op-only")
    return word.lower() in TRUE_WORDS


BATCH = "N|unknown"
"""The kind of value of ``--batch``: a number or this word."""


@record
class CountingValues:
    """How FLOPs are counted."""

    PANEL: ClassVar[str] = ROWS

    rules: Annotated[
        FlopsRules,
        option(
            "FLOPs rules for nodes without a figure in the op log: none; tfprof: those of TensorFlow's registry; "
            "extended: those and many more."
        ),
    ] = FlopsRules.NONE
    flops_rules: Annotated[str | None, FLOPS_RULES] = None
    float_ops_from: Annotated[
        FloatOpsFrom, option("Which figure counts where the op log and the FLOPs rules both have one.")
    ] = FloatOpsFrom.OP_LOG
    count: Annotated[
        Count,
        option(
            "Count FLOPs of all ops, or of contractions only (convolutions, matrix products, recurrent cells), as "
            "papers do."
        ),
    ] = Count.ALL
    batch: Annotated[
        str | None,
        option(
            "First size of inputs whose only open size it is; unknown: none is assumed. [default: 1; under the "
            "semantics tfprof, unknown]",
            metavar=BATCH,
        ),
    ] = None


SEMANTICS = option("tfprof: the native tool's numbers and text, quirks included; corrected: without them.", panel=ROWS)


@record
class FunctionValues:
    """Whether and how often the bodies of functions count."""

    functions: Annotated[
        Functions,
        option(
            "on: the nodes of a function appear below each node that calls it; off: only the graph's own nodes, as "
            "in tfprof."
        ),
    ] = Functions.ON
    cond: Annotated[Cond, option("Which branches of If and Case count: the one with the most FLOPs, all, or none.")] = (
        Cond.MAX
    )
    loops: Annotated[
        Loops,
        option(
            "Iterations of a loop to count: the trip count that follows from constants, the executions in run "
            "metadata (unknown without them), or one."
        ),
    ] = Loops.TRIP_COUNT


@record
class LeaveOutValues:
    """Which nodes no figure counts."""

    leave_out: Annotated[
        list[str] | None,
        option(
            "Parts of the graph to leave out: savers, summaries, initializers, gradients, optimizer, training (the "
            "last two) or all. What they amount to is reported separately. [default: nothing]",
            metavar="LIST",
            may_be_empty=True,
        ),
    ] = None
    outputs: Annotated[
        list[str] | None,
        option(
            "Keep only these nodes and what they depend on; all keeps every node. [default: the outputs of a "
            "SavedModel's signature, else all]",
            metavar="LIST",
            may_be_empty=True,
        ),
    ] = None


class MeasuredValues(Protocol):
    """The values that any command has that measures a model."""

    @property
    def options(self) -> Options:
        """Return tfprof's options."""

    @property
    def counting(self) -> CountingValues:
        """Return how FLOPs are counted."""

    @property
    def functions(self) -> FunctionValues:
        """Return how the bodies of functions count."""

    @property
    def leave_out(self) -> LeaveOutValues:
        """Return which nodes do not count."""

    @property
    def semantics(self) -> Preset:
        """Return the preset of semantics."""


SOURCE = "A graph file, or a folder with graph.pb, run_meta or run_meta_N, and tfprof_log or op_log."
SIDE = SOURCE[:-1] + "; or the folder of an earlier report."
"""What a side of a comparison may be."""
