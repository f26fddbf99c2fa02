"""The Python API: ``tf.compat.v1.profiler`` without TensorFlow, with the same names and signatures.
May import everything except cli and models_job.
"""

from typing import TYPE_CHECKING, NoReturn

from tfprof_report.errors import OptionError
from tfprof_report.old_names import Place, now
from tfprof_report.profiler.api import Profiler, advise, profile, write_op_log
from tfprof_report.profiler.handed_over import (
    AdviceProto,
    AdvisorOptionsProto,
    GraphNodeProto,
    MultiGraphNodeProto,
    OpLogEntry,
    OpLogProto,
    OptionsProto,
    ProfileProto,
)
from tfprof_report.profiler.option_builder import ProfileOptionBuilder
from tfprof_report.profiler.result_node import ResultNode

__all__ = [
    "AdviceProto",
    "AdvisorOptionsProto",
    "GraphNodeProto",
    "MultiGraphNodeProto",
    "OpLogEntry",
    "OpLogProto",
    "OptionsProto",
    "ProfileOptionBuilder",
    "ProfileProto",
    "Profiler",
    "ResultNode",
    "advise",
    "profile",
    "write_op_log",
]

if not TYPE_CHECKING:  # for a type checker, a name that is not there is an error

    def __getattr__(name: str) -> NoReturn:
        """Say what to write in place of a name of earlier releases of tfprof.

        That is not an AttributeError, whose words ``from ... import`` would replace by its own.
        """
        if (advice := now(Place.PYTHON, name)) is not None:
            raise OptionError(f"{__name__} has no {name}", advice=advice)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
