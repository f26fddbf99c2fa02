"""The Python API: ``tf.compat.v1.profiler`` without TensorFlow, with the same names and signatures.
May import everything except cli and models_job.
"""

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
