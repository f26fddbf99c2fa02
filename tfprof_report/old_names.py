"""Names of earlier releases of tfprof, and what to write now: one table, with which every unknown name is looked up.

docs/migration.md shows the table. Sources: TensorFlow's releases 0.12 to 1.15 (``contrib/tfprof``, ``tools/tfprof``,
``core/profiler``). What tfprof of TensorFlow 2 takes is not here, since it is taken here too.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class Place(StrEnum):
    """Where a name was given, in the words of the page for users."""

    OPTION = "option"
    WORD = "word of `select` or `order_by`"
    COMMAND = "command"
    PYTHON = "name in Python"
    METHOD = "method of `Profiler`"


OLD_NAMES: Mapping[Place, Mapping[str, str]] = {
    Place.OPTION: {
        "device_regexes": "write account_type_regexes, which matches devices too; totals then count only what matches",
        "viz": "leave it out, it drew nothing; write output timeline:outfile=FILE, or use the command report",
        "run_log_path": "write op_log_path; only the help of tfprof had the other name",
    },
    Place.WORD: {
        "num_hidden_ops": "leave it out; totals include hidden nodes, and occurrence tells how many nodes a row has",
        "depth": "write name; tfprof documented depth, and never took it",
    },
    Place.COMMAND: {
        "python": "write code",
        "set": "write it in the console, which the command shell starts",
        "help": "write --help",
    },
    Place.PYTHON: {
        "ProfileContext": "write tfprof_report.capture(DIR), or Profiler with add_step for each step that you trace",
        "model_analyzer": "leave it out; its functions and Profiler are in tfprof_report.profiler",
        "print_model_analysis": "write profile, whose arguments are called cmd and options, not tfprof_cmd and "
        "tfprof_options",
        "TRAINABLE_VARS_PARAMS_STAT_OPTIONS": "write ProfileOptionBuilder.trainable_variables_parameter()",
        "FLOAT_OPS_OPTIONS": "write ProfileOptionBuilder.float_operation()",
        "PRINT_ALL_TIMING_MEMORY": 'write ProfileOptionBuilder(ProfileOptionBuilder.time_and_memory()).order_by("name")'
        ".build()",
        "PRINT_PARAMS_ON_DEVICE": "write ProfileOptionBuilder().with_max_depth(1)"
        '.with_accounted_types([".*ps.*task:0.*"]).select(["device", "params"]).build()',
        "ALL_ADVICE": "leave it out; advise without options runs all checkers",
        "tfprof_logger": "leave it out; write_op_log is in tfprof_report.profiler",
        "pprof_profiler": 'write profile with cmd="code" and the output "pprof:outfile=FILE"',
        "OpLog": "write OpLogProto",
        "TFGraphNodeProto": "write GraphNodeProto",
        "TFMultiGraphNodeProto": "write MultiGraphNodeProto",
        "experimental": "write tfprof_report.capture(DIR) to record a trace; give one that you have as run_meta",
    },
    Place.METHOD: {"profile_python_codes": "write profile_python"},
}
"""By place, what to write instead of each name; it starts with a verb."""

NO_COMMAND = "write shell before it, which starts the console, or the view to print, such as scope"
"""What to write where tfprof's options are given without a command, which started its console."""


def now(place: Place, name: str) -> str | None:
    """Return what to write in place of an old name, None if it is not one.

    Options may be spelt as on a command line: ``--device-regexes`` is ``device_regexes``.
    """
    return OLD_NAMES[place].get(name.lstrip("-").replace("-", "_") if place is Place.OPTION else name)
