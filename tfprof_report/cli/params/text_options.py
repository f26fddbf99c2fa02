"""The values of the commands that print text: a view, the shell and advice."""

from typing import Annotated, ClassVar

from tfprof_report.cli.params.declare import ParamGroup, argument, option
from tfprof_report.cli.params.model_options import (
    ROWS,
    SEMANTICS,
    SOURCE,
    CountingValues,
    FunctionValues,
    InputValues,
    LeaveOutValues,
    RowParams,
    SideParams,
)
from tfprof_report.options import Options
from tfprof_report.record import record
from tfprof_report.vocabulary import Functions, Preset

_INPUTS = SideParams(name="inputs", source=argument(SOURCE, "INPUTS"))


@record
class OutputValues:
    """Where the text of a view is written."""

    PANEL: ClassVar[str] = "Output"

    output: Annotated[
        str | None,
        option(
            "stdout, none, or TYPE:outfile=FILE, where TYPE is file (the text), timeline (Chrome trace, to FILE_STEP), "
            "pprof, folded (stacks) or speedscope. [default: stdout]",
            metavar="TYPE",
            may_be_empty=True,
        ),
    ] = None
    dump_to_file: Annotated[
        str | None, option("The same as --output file:outfile=FILE.", metavar="FILE", may_be_empty=True)
    ] = None
    frame: Annotated[bool, option("Print tfprof's frame and options around the text on standard output.")] = False


@record
class ViewValues:
    """The values of a command that prints a view."""

    inputs: Annotated[InputValues, _INPUTS]
    options: Annotated[Options, RowParams(defaults=Options())]
    counting: CountingValues
    semantics: Annotated[Preset, SEMANTICS] = Preset.TFPROF
    functions: Annotated[FunctionValues, ParamGroup(panel=ROWS, defaults=FunctionValues(functions=Functions.OFF))]
    leave_out: Annotated[LeaveOutValues, ParamGroup(panel=ROWS)]
    output: OutputValues


@record
class ShellValues(ViewValues):
    """The values of the shell."""

    history: Annotated[
        str | None,
        option("Save the history of typed lines in this file. [default: only until the shell ends]", metavar="FILE"),
    ] = None


@record
class CheckerValues:
    """Which checkers run, and their options, which apply under corrected semantics only."""

    PANEL: ClassVar[str] = "Checkers"

    checkers: Annotated[
        list[str] | None,
        option(
            "ExpensiveOperationChecker, AcceleratorUtilizationChecker, OperationChecker. [default: all]",
            metavar="LIST",
        ),
    ] = None
    top: Annotated[int | None, option("Rows of each list. [default: 3]", metavar="N")] = None
    min_line_micros: Annotated[
        int | None, option("Minimum microseconds for a line of code to be listed. [default: 1000]", metavar="N")
    ] = None
    low_utilization: Annotated[
        float | None,
        option("Share of a step below which an accelerator counts as idle. [default: 0.5]", metavar="SHARE"),
    ] = None


@record
class AdviseValues:
    """The values of the command `advise`."""

    inputs: Annotated[InputValues, _INPUTS]
    checkers: CheckerValues
    semantics: Annotated[Preset, SEMANTICS] = Preset.TFPROF
