"""The options that most commands share: the files of a model, which rows and columns are shown, and what counts."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Annotated, Any, ClassVar

from tfprof_report.cli.params.declare import Group, Param, Words, field_params, field_values, option, typer_words
from tfprof_report.cli.params.spelling import FALSE_WORDS, TRUE_WORDS
from tfprof_report.errors import OptionError
from tfprof_report.options import UNLIMITED_DEPTH, Options, split_list
from tfprof_report.vocabulary import Cond, Count, FloatOpsFrom, FlopsRules, Functions, Loops

ROWS = "Rows and columns, as in tfprof"

FILES = ("graph", "run_meta", "run_meta_path", "op_log", "checkpoint", "profile")
"""Options that name files of a side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InputValues:
    """What names the inputs of one side: an argument or option `source`, and an option per kind of file.

    side : what its options begin with: ``base-``, ``head-`` or nothing
    """

    PANEL: ClassVar[str] = "Inputs"

    side: str = ""
    source: str | None = None
    graph: Annotated[
        list[str] | None,
        option(
            "GraphDef{of}, or the MetaGraphDef or SavedModel around it; more files add what is new in them.",
            metavar="FILE",
            alias="--graph-path",
        ),
    ] = None
    run_meta: Annotated[
        list[str] | None,
        option(
            "RunMetadata of a step{of}; repeatable. Without STEP= files are steps 0, 1, 2...", metavar="[STEP=]FILE"
        ),
    ] = None
    run_meta_path: Annotated[
        list[str] | None, option("The same as a comma-separated list, as in tfprof.", metavar="FILE,...")
    ] = None
    op_log: Annotated[str | None, option("OpLogProto{of}.", metavar="FILE", alias="--op-log-path")] = None
    checkpoint: Annotated[
        str | None,
        option(
            "Checkpoint: its variables have the type _checkpoint_variables and show their tensor_value.",
            metavar="PREFIX",
            alias="--checkpoint-path",
        ),
    ] = None
    profile: Annotated[
        str | None,
        option(
            "ProfileProto, which stands for graph, run metadata and op log.", metavar="FILE", alias="--profile-path"
        ),
    ] = None
    signature: Annotated[
        str | None,
        option("Signature of the SavedModel that the report names. [default: serving_default]", metavar="NAME"),
    ] = None
    input_shape: Annotated[
        list[str] | None,
        option(
            "Shape of a placeholder{of} whose sizes are open, such as x=1,224,224,3; what follows from it is "
            "inferred again. Repeatable.",
            metavar="NAME=SHAPE",
        ),
    ] = None

    def param(self, word: str) -> str:
        """Return the name of the parameter that the field `word` is of."""
        return self.side.replace("-", "_") + word

    @property
    def files(self) -> tuple[str, ...]:
        """Return the parameters that name files of this side."""
        return tuple(self.param(word) for word in FILES if getattr(self, word))

    @property
    def name(self) -> str | None:
        """Return what names the side: its source, else the file of the model among those that are named one by one."""
        return self.source if self.source is not None else next(iter(self.graph or ()), self.profile)


@dataclass(frozen=True, slots=True, kw_only=True)
class Side(Group):
    """How a command takes the inputs of a side: `source` is the parameter that names all of them, called `name`."""

    name: str
    source: Words

    def params(self, kind: Any, path: str) -> Iterator[Param]:
        """Yield the parameter for all inputs, then those for files."""
        words = typer_words(self.source, self.name, Group())
        yield Param(name=self.name, path=f"{path}source", kind=str | None, words=words)
        yield from field_params(self, kind, path)

    def make(self, kind: Any, path: str, given: Mapping[str, Any]) -> Any:
        """Return the inputs with the values that are given by path."""
        return kind(side=self.side, source=given[f"{path}source"], **field_values(kind, path, given))


_METAVARS = {tuple: "LIST", bool: "BOOL", int: "N", str: "WORD"}
_OPTION_HELP = {
    "max_depth": "Levels to show; the root is level 1. In op view, rows after the first one.",
    "min_bytes": "Least requested bytes, total.",
    "min_peak_bytes": "Least peak bytes, total.",
    "min_residual_bytes": "Least residual bytes, total.",
    "min_output_bytes": "Least output bytes, total.",
    "min_micros": "Least microseconds, total.",
    "min_accelerator_micros": "Least accelerator microseconds, total.",
    "min_cpu_micros": "Least CPU microseconds, total.",
    "min_params": "Least parameters of the node itself; in op view of the row.",
    "min_float_ops": "Least FLOPs of the node itself; in op view of the row.",
    "min_occurrence": "Least executions of the node itself; in op view, nodes of the row.",
    "step": "Step to show; -1 is the mean over all steps.",
    "order_by": "Order of siblings, largest first: name, bytes, micros, params, float_ops, macs, occurrence ...",
    "account_type_regexes": "Count nodes of which an op, device or op-log type matches.",
    "start_name_regexes": "Start at rows that match.",
    "trim_name_regexes": "Show rows that match without what is below them; in op view, end before them.",
    "show_name_regexes": "Show rows that match.",
    "hide_name_regexes": "Hide rows that match; what is below them moves up.",
    "account_displayed_op_only": "Totals of shown rows only.",
    "select": "Columns: params, float_ops, macs, bytes, peak_bytes, residual_bytes, output_bytes, micros, "
    "accelerator_micros, cpu_micros, device, op_types, occurrence, input_shapes.",
}

_NO = "no_account_displayed_op_only"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows(Group):
    """How a command takes tfprof's `Options`: a parameter for each, and one that says no to the boolean."""

    defaults: Options

    def params(self, kind: Any, path: str) -> Iterator[Param]:
        """Yield a parameter for each option, without a default, so that what is not given can be told."""
        for field in fields(kind):
            default = getattr(self.defaults, field.name)
            is_list = isinstance(default, tuple)
            words = ", ".join(default) if is_list else str(default).lower() if isinstance(default, bool) else default
            note = " [default: no limit]" if default == UNLIMITED_DEPTH else f" [default: {words}]"
            text = _OPTION_HELP[field.name] + (note if words != "" else "")
            yield Param(
                name=field.name,
                path=path + field.name,
                kind=str | None if isinstance(default, bool) else list[str] | None if is_list else type(default) | None,
                words=typer_words(option(text, metavar=_METAVARS[type(default)]), field.name, self, panel=ROWS),
            )
        words = typer_words(option("Totals of all rows."), _NO, self, panel=ROWS)
        yield Param(name=_NO, path=path + _NO, kind=bool, words=words, default=False)

    def make(self, kind: Any, path: str, given: Mapping[str, Any]) -> Options:
        """Return the options, with their defaults where nothing is given."""
        chosen: dict[str, Any] = {}
        for field in fields(kind):
            value = given[path + field.name]
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


FLOPS_RULES = option(
    "FLOPs rules of your own, such as for custom ops, which come before those of --rules.", metavar="FILE"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CountingValues:
    """How FLOPs are counted."""

    PANEL: ClassVar[str] = ROWS

    rules: Annotated[
        FlopsRules,
        option(
            "FLOPs of nodes without a figure in the op log: none; tfprof for the rules of TensorFlow's registry; "
            "extended for those and many more."
        ),
    ] = FlopsRules.NONE
    flops_rules: Annotated[str | None, FLOPS_RULES] = None
    float_ops_from: Annotated[
        FloatOpsFrom, option("Where the op log and the rules both have a figure: which counts.")
    ] = FloatOpsFrom.OP_LOG
    count: Annotated[
        Count,
        option(
            "FLOPs of all ops, or of contractions only (convolutions, matrix products, recurrent cells), as papers "
            "count."
        ),
    ] = Count.ALL


SEMANTICS = option("tfprof: the native tool's numbers and text; corrected: what a user means.", panel=ROWS)


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionValues:
    """Whether and how often the bodies of functions count."""

    functions: Annotated[
        Functions,
        option(
            "on: the nodes of functions stand below each node that calls them; off: only the graph's own nodes, "
            "as in tfprof."
        ),
    ] = Functions.ON
    cond: Annotated[Cond, option("Branches of If and Case that count: the one with most FLOPs, all, or none.")] = (
        Cond.MAX
    )
    loops: Annotated[
        Loops,
        option(
            "Iterations of loops that count: as many as constants prove, as run metadata has executions (else "
            "unknown), or one."
        ),
    ] = Loops.TRIP_COUNT


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaveOutValues:
    """What is kept out of every figure."""

    leave_out: Annotated[
        list[str] | None,
        option(
            "Parts that are not the model: savers, summaries, initializers, gradients, optimizer; training for "
            "the last two, or all. How much they are is said. [default: nothing]",
            metavar="LIST",
        ),
    ] = None
    outputs: Annotated[
        list[str] | None, option("Keep only nodes that feed these. [default: all nodes]", metavar="LIST")
    ] = None


SOURCE = "A graph file, or a folder with graph.pb, run_meta or run_meta_N, and tfprof_log or op_log."
SIDE = SOURCE[:-1] + "; or the folder of an earlier report."
"""What a side of a comparison may be."""
